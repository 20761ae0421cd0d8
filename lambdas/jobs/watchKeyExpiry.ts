import type { KeyWatchEvent } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { putDueNotices, readWatchedCompanies } from '../data/api-keys/key-notices.ts';
import { expirySummary } from '../domain/key-notices.ts';
import { functionEnvironment, lambdaHandler } from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';

const operation = 'watchKeyExpiry';
type Content = EventContent<KeyWatchEvent>;

/**
 * Announces the keys that expire soon, and measures how soon. It can run any number of times, also concurrently, and can
 * fail at any point: each notice is stored once, and the next run does what is left.
 */
export const handler = lambdaHandler(
  functionEnvironment(process.env),
  async (_event: unknown, environment): Promise<void> => {
    const { store, processTimeMs } = environment;
    const nowMs = processTimeMs();
    try {
      const companies = await readWatchedCompanies(store, nowMs);
      const notices = await putDueNotices(store, companies, nowMs);
      const summary = expirySummary(companies, nowMs);
      const found = { level: 'INFO', operation, companies: companies.length, notices, ...summary } satisfies Content;
      writeEvent(environment, nowMs, found);
    } catch (error) {
      writeEvent(environment, nowMs, { level: 'ERROR', operation, ...faultFields(error) } satisfies Content);
      throw error;
    }
  },
);
