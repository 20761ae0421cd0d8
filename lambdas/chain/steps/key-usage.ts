import { recordKeyUse } from '../../data/api-keys/api-keys.ts';
import { toDate } from '../../domain/time.ts';
import { type CallRequest, known, type MiddlewareFactory } from '../call.ts';

/**
 * Notes the day of the key's use, once a day, while the handler works; the answer waits for it, since a function that has
 * answered is frozen, but does not depend on it: what fails today is noted by the next request.
 */
export const keyUsage: MiddlewareFactory = () => {
  const settle = async ({ context: { call } }: CallRequest) => {
    await call.keyUse?.catch(() => undefined);
  };
  return {
    before: (request) => {
      const [key, nowMs] = [known(request, 'key'), known(request, 'nowMs')];
      if (key.lastUsedOn === toDate(nowMs)) return;
      const keyUse = recordKeyUse(known(request, 'store'), key, nowMs);
      keyUse.catch(() => undefined);
      request.context.call.keyUse = keyUse;
    },
    after: settle,
    onError: settle,
  };
};
