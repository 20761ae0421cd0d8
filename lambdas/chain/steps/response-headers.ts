import { commonHeaders } from '../../api/headers.ts';
import { rateLimitHeaders } from '../../domain/rate-limits/rate-limit-headers.ts';
import { toTimestamp } from '../../domain/time.ts';
import { type CallRequest, known, type MiddlewareFactory } from '../call.ts';

/** Adds what every answer has, and what every authenticated answer has: where the key and the counter stand. */
export const responseHeaders: MiddlewareFactory = () => {
  const add = (request: CallRequest) => {
    const { response, context } = request;
    if (!response) return;
    const { key, ratePolicy, bucketArrivalMs } = context.call;
    response.headers = {
      ...commonHeaders(known(request, 'requestId')),
      ...(key && { 'x-api-key-expires-at': toTimestamp(key.expiresAtMs) }),
      ...(key && ratePolicy && rateLimitHeaders(ratePolicy, bucketArrivalMs ?? 0, known(request, 'nowMs'))),
      ...response.headers,
    };
  };
  return { after: add, onError: add };
};
