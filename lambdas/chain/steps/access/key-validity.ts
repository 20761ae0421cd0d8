import { Problem } from '../../../api/problem.ts';
import { isSameKey, isValidAt } from '../../../domain/api-keys/api-key.ts';
import type { Step } from '../step.ts';

/** Authenticates. Unknown, deleted and wrong keys are one answer; only the whole right key learns that it has expired. */
export const keyValidity: Step<'keyValidity'> =
  () =>
  ({ presentedKey, lookup: { key }, nowMs }) => {
    if (!isSameKey(presentedKey, key) || !key) return new Problem('api-key-invalid');
    return isValidAt(key, nowMs) ? { key } : new Problem('api-key-expired');
  };
