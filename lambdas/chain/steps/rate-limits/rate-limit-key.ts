import { rateLimitKeyOf } from '../../../domain/rate-limits/rate-limit-key.ts';
import type { Step } from '../step.ts';

/** Names the bucket that the request consumes a token of. */
export const rateLimitKey: Step<'rateLimitKey'> =
  ({ operationId, path, ratePolicy }) =>
  ({ presentedKey: { companyId }, pathIds = {} }) => ({
    rateLimitKey: rateLimitKeyOf(companyId, operationId, path, pathIds),
    ratePolicy,
  });
