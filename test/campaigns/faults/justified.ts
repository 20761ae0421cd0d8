import assert from 'node:assert/strict';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import type { ProblemCode } from '../../../lambdas/api/problems.ts';
import { ratePolicies } from '../../../lambdas/api/rate-policies.ts';
import { bucketIdOf, rateLimitKeyOf } from '../../../lambdas/domain/rate-limits/rate-limit-key.ts';
import { ReferenceBucket } from '../../support/reference-bucket.ts';
import { auditIn, keysIn } from '../interleavings/scenarios/rows.ts';
import { rowsOf, type Tables } from '../interleavings/store/tables.ts';
import { type Exchange, itemKeyOf, type Partner } from './partner.ts';

/** What the store holds once all calls of the same time have been answered. */
export type Stored = {
  readonly before: Tables;
  readonly tables: Tables;
  readonly arrivals: ReadonlyMap<string, number>;
};

/** Whether what is stored says that a refusal was right. No key of the campaign runs out, and no appliance goes. */
const justifications: Partial<Record<ProblemCode, (exchange: Exchange, stored: Stored, partner: Partner) => boolean>> =
  {
    'service-unavailable': () => true,
    // A bucket's arrival time only grows, so one that admits now has admitted then.
    'rate-limit-exceeded': (exchange, { arrivals }) => {
      const { burst, refillIntervalMs } = ratePolicyOf(exchange);
      const latestMs = exchange.request.nowMs + (burst - 1) * refillIntervalMs;
      return (arrivals.get(bucketOf(exchange)) ?? 0) > latestMs;
    },
    'api-key-invalid': ({ keyId }, { tables }) => !isStored(tables, keyId),
    'api-key-in-use': ({ keyId, request }) => request.pathParameters?.keyId === keyId,
    'api-key-not-found': ({ request }, { tables }) => !isStored(tables, request.pathParameters?.keyId),
    'api-key-limit-reached': ({ answer }, { tables }) => {
      const named = new Set<string>(answer.body.validKeys.map(({ keyId }: { keyId: string }) => keyId));
      const made = new Set(auditIn(tables).map(({ keyId }) => keyId));
      return named.size === maxValidKeysPerCompany && [...named].every((keyId) => made.has(keyId));
    },
    // If no answer has told which key the creation made, it may be any that is on record.
    'idempotency-key-spent': ({ creationId }, { tables }, { exchanges }) => {
      const told = exchanges.find(
        ({ answer, ...earlier }) => earlier.creationId === creationId && answer.status === 201,
      );
      const made = told ? [told.answer.body.keyId] : auditIn(tables).map(({ keyId }) => keyId as string | undefined);
      const unused = keysIn(tables).filter(({ lastUsedOn }) => lastUsedOn === null);
      return made.some((keyId) => keyId !== undefined && !unused.some((key) => key.keyId === keyId));
    },
    // A version only grows, so the one that was asked for was passed on the way if it was not the only one.
    'precondition-failed': (exchange, { before, tables }) => {
      const versions = [versionIn(before, exchange), versionIn(tables, exchange)];
      return versions.some((version) => version !== expectedVersionOf(exchange));
    },
  };

/** A call succeeds, or what is stored says why it does not; a fault of the store is nothing but 503. */
export const answersAreJustified = (batch: readonly Exchange[], stored: Stored, partner: Partner): void => {
  for (const exchange of batch) {
    const { operationId, answer } = exchange;
    if (answer.status < 300) continue;
    const isJustified = justifications[answer.body.code as ProblemCode]?.(exchange, stored, partner) ?? false;
    assert(
      isJustified,
      `${operationId} was answered ${answer.status} ${answer.body.code}, which what is stored does not justify`,
    );
  }
};

const isStored = (tables: Tables, keyId: string | undefined): boolean =>
  keysIn(tables).some((key) => key.keyId === keyId);

/** The version of what a call changes, as it is stored. */
export const versionIn = (tables: Tables, exchange: Exchange): number => {
  const { gatewayId, sk } = itemKeyOf(exchange) ?? {};
  return Number(rowsOf(tables, 'Appliances').get(`${gatewayId}\0${sk}`)?.version);
};

/** The version that `If-Match` asks for; undefined without it. */
export const expectedVersionOf = ({ request: { headers = {} } }: Exchange): number | undefined =>
  headers['If-Match']?.[0] === undefined ? undefined : Number(headers['If-Match'][0].replaceAll('"', ''));

const ratePolicyOf = ({ operationId }: Exchange) => ratePolicies[(endpoints[operationId] as Endpoint).ratePolicy];

export const bucketOf = ({ companyId, operationId, request: { pathParameters = {} } }: Exchange): string =>
  bucketIdOf(rateLimitKeyOf(companyId, operationId, endpoints[operationId].path, pathParameters));

/** Every call that a token was spent for, and not refused since. */
const wasAdmitted = ({ answer: { status } }: Exchange): boolean => ![401, 429, 503].includes(status);

/** No bucket has admitted more than it held. */
export const tokensAreNotExceeded = ({ exchanges }: Partner): void => {
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
