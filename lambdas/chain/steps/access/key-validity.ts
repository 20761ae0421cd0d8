import { Problem } from '../../../api/problem.ts';
import { keyMemoryId } from '../../../data/process-memory.ts';
import type { Step } from '../step.ts';
import { authenticate } from './authenticate.ts';

/** Authenticates by the record as the lookup found it: a key that was deleted a moment ago is refused. */
export const keyValidity: Step<'keyValidity'> =
  () =>
  ({ memory, presentedKey, lookup, nowMs }) => {
    const key = authenticate(presentedKey, lookup.key, nowMs);
    if (key instanceof Problem) return key;
    memory.validKeys.put(keyMemoryId(presentedKey), true);
    return { key };
  };
