import { jobs } from '../api/background-functions.ts';
import type { MacKeyWatchEvent } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { functionEnvironment, lambdaHandler, requestTimeouts } from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';
import { createKeyStateReader } from '../runtime/mac-keys.ts';

const ownEnvironment = {
  ...functionEnvironment(process.env),
  readKeyState: createKeyStateReader(process.env, requestTimeouts),
};

const operation = 'watchMacKeys';
type Content = EventContent<MacKeyWatchEvent>;

/**
 * Counts the KMS keys that cannot be used because they are disabled or pending deletion. A run that cannot read the state of
 * every key emits no metric. It asks KMS because EventBridge reports DisableKey and ScheduleKeyDeletion only in an account
 * that has a CloudTrail trail, and this stack creates none.
 */
export const handler = lambdaHandler(ownEnvironment, async (_event: unknown, environment): Promise<void> => {
  const { processTimeMs, readKeyState } = environment;
  const nowMs = processTimeMs();
  try {
    const { watchedMacKeys } = jobs.watchMacKeys;
    const states = await Promise.all(watchedMacKeys.map(async (name) => ({ name, state: await readKeyState(name) })));
    const unusable = states.filter(({ state }) => state !== 'Enabled');
    writeEvent(environment, nowMs, {
      level: 'INFO',
      operation,
      states: unusable.length > 0 ? unusable.map(({ name, state }) => `${name}: ${state}`).join(', ') : undefined,
      MacKeysUnusable: unusable.length,
    } satisfies Content);
  } catch (error) {
    writeEvent(environment, nowMs, { level: 'ERROR', operation, ...faultFields(error) } satisfies Content);
    throw error;
  }
});
