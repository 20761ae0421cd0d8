import assert from 'node:assert/strict';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../../lambdas/api/rate-policies.ts';
import { bucketIdOf, rateLimitKeyOf } from '../../../lambdas/domain/rate-limits/rate-limit-key.ts';
import { ReferenceBucket } from '../../support/reference-bucket.ts';
import type { Exchange } from './exchange.ts';

export const ratePolicyOf = ({ operationId }: Exchange) =>
  ratePolicies[(endpoints[operationId] as Endpoint).ratePolicy];

export const bucketOf = ({ companyId, operationId, request: { pathParameters = {} } }: Exchange): string =>
  bucketIdOf(rateLimitKeyOf(companyId, operationId, endpoints[operationId].path, pathParameters));

/** Every call that a token was spent for, and not refused since. */
const wasAdmitted = ({ answer: { status } }: Exchange): boolean => ![401, 429, 503].includes(status);

/** No bucket has admitted more than it held. */
export const tokensAreNotExceeded = (exchanges: readonly Exchange[]): void => {
  const buckets = new Map<string, ReferenceBucket>();
  for (const exchange of exchanges.filter(wasAdmitted)) {
    const bucketId = bucketOf(exchange);
    const bucket = buckets.get(bucketId) ?? new ReferenceBucket(ratePolicyOf(exchange));
    buckets.set(bucketId, bucket);
    assert.equal(
      bucket.take(exchange.request.nowMs),
      0,
      `more requests were admitted than the bucket ${bucketId} held`,
    );
  }
};
