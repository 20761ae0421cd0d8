import { Problem } from '../../api/problem.ts';
import { isSameKey, isValidAt } from '../../domain/api-keys/api-key.ts';
import { known, type MiddlewareFactory } from '../call.ts';

/** Authenticates. Unknown, deleted and wrong keys are one answer; only the whole right key learns that it has expired. */
export const keyValidity: MiddlewareFactory = () => ({
  before: (request) => {
    const { key } = known(request, 'admission');
    if (!isSameKey(known(request, 'presentedKey'), key) || !key) throw new Problem('api-key-invalid');
    if (!isValidAt(key, known(request, 'nowMs'))) throw new Problem('api-key-expired');
    request.context.call.key = key;
  },
});
