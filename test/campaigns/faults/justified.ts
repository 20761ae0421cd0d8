import assert from 'node:assert/strict';
import { maxValidKeysPerCompany, maxWebhooksPerCompany } from '../../../lambdas/api/limits.ts';
import type { ProblemCode } from '../../../lambdas/api/problems.ts';
import { auditIn, keysIn, rowsWith } from '../interleavings/scenarios/rows.ts';
import type { Tables } from '../interleavings/store/tables.ts';
import { type Exchange, expectedVersionOf, requestIdOf, versionIn } from './exchange.ts';
import type { Partner } from './partner.ts';
import { bucketOf, ratePolicyOf } from './tokens.ts';

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
    'idempotency-key-spent': ({ creationId }, { tables }, { exchanges }) => {
      const same = new Set(exchanges.filter((other) => other.creationId === creationId).map(requestIdOf));
      const unused = keysIn(tables).filter(({ lastUsedOn }) => lastUsedOn === null);
      return auditIn(tables)
        .filter(({ requestId }) => same.has(requestId))
        .some(({ keyId }) => !unused.some((key) => key.keyId === keyId));
    },
    'webhook-not-found': ({ request }, { tables }) =>
      !rowsWith(tables, 'Webhooks', 'WEBHOOK#').some(
        ({ webhookId }) => webhookId === request.pathParameters?.webhookId,
      ),
    'webhook-limit-reached': (_, { tables }) => {
      const made = auditIn(tables).filter(({ operation }) => ['register', 'createWebhook'].includes(operation));
      return made.length >= maxWebhooksPerCompany;
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
