import { Problem } from '../../../api/problem.ts';
import { type ApiKeyRecord, isSameKey, isValidAt, type PresentedKey } from '../../../domain/api-keys/api-key.ts';

/** Tells whether a presented key is the recorded one. Unknown, deleted and wrong keys are one answer; only the whole right key learns that it has expired. */
export const authenticate = (presented: PresentedKey, record: ApiKeyRecord | undefined, nowMs: number) => {
  if (!isSameKey(presented, record) || !record) return new Problem('api-key-invalid');
  return isValidAt(record, nowMs) ? record : new Problem('api-key-expired');
};
