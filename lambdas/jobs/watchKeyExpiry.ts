import type { KeyWatchEvent } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { type CompanySlot, putNotice, readSlotsByExpiryMonth } from '../data/api-keys/key-notices.ts';
import { findCompany } from '../data/contracts/companies.ts';
import { hasLeft } from '../data/contracts/contracts.ts';
import { functionEnvironment, lambdaHandler } from '../data/function-environment.ts';
import type { Store } from '../data/store/store.ts';
import {
  type CompanyKeys,
  dueNotice,
  expirySummary,
  isLastKey,
  isWatched,
  watchedMonths,
} from '../domain/key-notices.ts';
import { faultFields, writeEvent } from '../domain/log-events.ts';

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
      const notices = await giveNotices(store, companies, nowMs);
      const summary = expirySummary(companies, nowMs);
      const found = { level: 'INFO', operation, companies: companies.length, notices, ...summary } satisfies Content;
      writeEvent(environment, nowMs, found);
    } catch (error) {
      writeEvent(environment, nowMs, { level: 'ERROR', operation, ...faultFields(error) } satisfies Content);
      throw error;
    }
  },
);

/** Returns the key slots of each company that has keys to watch and has not left. */
const readWatchedCompanies = async (store: Store, nowMs: number): Promise<CompanyKeys<CompanySlot>[]> => {
  const months: CompanySlot[][] = [];
  for (const month of watchedMonths(nowMs)) months.push(await readSlotsByExpiryMonth(store, month));
  const slots = months.flat().filter((slot) => isWatched(slot, nowMs));
  const companies = Map.groupBy(slots, ({ companyId }) => companyId);
  const watched: CompanyKeys<CompanySlot>[] = [];
  for (const [companyId, keys] of companies)
    if (!(await hasLeft(store, companyId))) watched.push({ keys, registered: await readRegistered(store, keys) });
  return watched;
};

/** Returns the registered address blocks of a company; it reads them only if one of the keys is limited to addresses. */
const readRegistered = async (store: Store, keys: readonly CompanySlot[]): Promise<readonly string[]> => {
  const limited = keys.find(({ allowedCidrs }) => allowedCidrs !== null);
  return (limited && (await findCompany(store, limited.companyId))?.allowedCidrs) ?? [];
};

/** Stores the notices that are due, and returns how many of them are new. */
const giveNotices = async (
  store: Store,
  companies: readonly CompanyKeys<CompanySlot>[],
  nowMs: number,
): Promise<number> => {
  let given = 0;
  for (const { keys, registered } of companies)
    for (const slot of keys) {
      const days = dueNotice(slot, nowMs);
      if (days === undefined) continue;
      const notice = { slot, days, isLastKey: isLastKey(slot, keys, registered) };
      if (await putNotice(store, notice, nowMs)) given++;
    }
  return given;
};
