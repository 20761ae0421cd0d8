import { recordKeyUse } from '../../../data/api-keys/api-keys.ts';
import { toDate } from '../../../domain/time.ts';
import type { Step } from '../step.ts';

/**
 * Notes the day of the key's use, once a day. The first use of all is noted before the request goes on, since a key that was
 * used is never shown again to a repeat of its creation. Later ones are noted while the handler works, and the answer does
 * not depend on them: what fails today is noted by the next request.
 */
export const keyUsage: Step<'keyUsage'> =
  () =>
  async ({ store, key, nowMs }) => {
    if (key.lastUsedOn === null) await recordKeyUse(store, key, nowMs);
    if (key.lastUsedOn === null || key.lastUsedOn === toDate(nowMs)) return { keyUse: Promise.resolve() };
    return { keyUse: recordKeyUse(store, key, nowMs).catch(() => undefined) };
  };
