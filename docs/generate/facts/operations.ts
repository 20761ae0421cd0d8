import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { type RatePolicy, ratePolicies } from '../../../lambdas/api/limits.ts';
import { tableOf } from '../../../partner/site/markdown.ts';

/** All operations with their paths and rate policies. */
export const operationTable = (): string =>
  tableOf(
    ['operation', 'method and path', 'rate policy'],
    Object.entries<Endpoint>(endpoints).map(([operationId, { method, path, ratePolicy }]) => [
      operationId,
      `\`${method} ${path}\``,
      ratePolicy,
    ]),
  );

/** The numbers of all rate policies. */
export const ratePolicyNumbers = (): string =>
  tableOf(
    ['rate policy', 'tokens at most', 'one more every'],
    Object.entries<RatePolicy>(ratePolicies).map(([name, { burst, refillIntervalMs }]) => [
      name,
      `${burst}`,
      `${refillIntervalMs} ms`,
    ]),
  );
