import { commonHeaders } from '../../api/headers.ts';
import { rateLimitHeaders } from '../../domain/rate-limits/rate-limit-headers.ts';
import { toTimestamp } from '../../domain/time.ts';
import type { FactsSoFar } from '../steps/facts.ts';
import type { Middleware, MiddyRequest } from './middleware.ts';

/** Adds what every answer has, and what every authenticated answer has: the key's expiry and the bucket's status. */
const addHeaders = ({ response, context: { facts } }: MiddyRequest): void => {
  if (!response) return;
  response.headers = { ...commonHeaders(facts.requestId), ...authenticatedHeaders(facts), ...response.headers };
};

const authenticatedHeaders = ({ key, ratePolicy, tokenDecision, seenArrivalMs = 0, nowMs }: FactsSoFar) => {
  if (!key || !ratePolicy) return {};
  return {
    'x-api-key-expires-at': toTimestamp(key.expiresAtMs),
    ...rateLimitHeaders(ratePolicy, tokenDecision?.arrivalMs ?? seenArrivalMs, nowMs),
  };
};

export const responseHeaders: Middleware = { after: addHeaders, onError: addHeaders };
