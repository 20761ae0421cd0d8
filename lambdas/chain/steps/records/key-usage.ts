import { recordKeyUse } from '../../../data/api-keys/api-keys.ts';
import { toDate } from '../../../domain/time.ts';
import type { Step } from '../step.ts';

/**
 * Begins to note the day of the key's use, once a day, while the handler works. The answer does not depend on it: what
 * fails today is noted by the next request.
 */
export const keyUsage: Step<'keyUsage'> =
  () =>
  ({ store, key, nowMs }) => {
    if (key.lastUsedOn === toDate(nowMs)) return { keyUse: Promise.resolve() };
    return { keyUse: recordKeyUse(store, key, nowMs).catch(() => undefined) };
  };
