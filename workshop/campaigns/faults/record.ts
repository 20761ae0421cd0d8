import assert from 'node:assert/strict';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { maxValidKeysPerCompany, maxWebhooksPerCompany, ratePolicies } from '../../../lambdas/api/limits.ts';
import type { ProblemCode } from '../../../lambdas/api/problems.ts';
import { type TableName, tables } from '../../../lambdas/api/tables.ts';
import { readAllPages } from '../../../lambdas/data/store/reads.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { bucketIdOf, rateLimitKeyOf } from '../../../lambdas/domain/rate-limits.ts';
import type { EquippedCompany } from '../../../test/support/call.ts';
import { type Item, keyText, rowsOf, type Tables } from '../../../test/support/memory-store/tables.ts';
import { ReferenceBucket } from '../../../test/support/reference-bucket.ts';
import { auditIn, keysFitSlots, keysIn, rowsWith, validKeyIds } from '../../../test/support/stage/rows.ts';
import { type Exchange, expectedVersionOf, itemKeyOf, type Partner, requestIdOf, versionIn } from './partner.ts';

/** The store's content after all calls of a batch have been answered. */
type Stored = {
  readonly before: Tables;
  readonly tables: Tables;
  readonly arrivals: ReadonlyMap<string, number>;
};

/** Whether the stored rows justify a refusal. No key of the campaign expires, and no appliance is removed. */
const justifications: Partial<Record<ProblemCode, (exchange: Exchange, stored: Stored, partner: Partner) => boolean>> =
  {
    'service-unavailable': () => true,
    // A bucket's arrival time only grows: if the bucket admits a request now, it admitted one then.
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
    // A concurrent call may have deleted the webhook, so that only the audit log has its creation.
    'webhook-exists': ({ request, answer }, { tables }) =>
      auditIn(tables).some(
        ({ webhookId, after }) =>
          webhookId === answer.body.webhookId && (after as Item | undefined)?.url === (request.body as Item).url,
      ),
    'webhook-limit-reached': (_, { tables }) => {
      const made = auditIn(tables).filter(({ operation }) => ['register', 'createWebhook'].includes(operation));
      return made.length >= maxWebhooksPerCompany;
    },
    // A version only grows: the expected version was left during the batch if it was not the only one.
    'precondition-failed': (exchange, { before, tables }) => {
      const versions = [versionIn(before, exchange), versionIn(tables, exchange)];
      return versions.some((version) => version !== expectedVersionOf(exchange));
    },
  };

/** Each call succeeds, or the stored rows justify its refusal. A fault of the store leads to 503 only. */
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

const isChange = ({ operationId }: Exchange): boolean => /^(create|delete|rotate|set|update)/.test(operationId);

/** Verifying a webhook changes nothing if it is already verified. */
const mayChange = ({ operationId }: Exchange): boolean => operationId === 'verifyWebhook';

/** There are one to ten valid keys, each in its own slot, and the company received at least one of them. */
export const keysHold = (tables: Tables, { shown }: Partner, nowMs: number): void => {
  keysFitSlots(tables, nowMs);
  const usable = validKeyIds(tables, nowMs).filter((keyId) => shown.has(keyId));
  assert(usable.length > 0, 'the company has no valid key left that it was shown');
};

/** Asserts that the existing keys are exactly the keys that the audit log has as created but not as deleted, each once. */
export const keysAreThoseOnRecord = (tables: Tables): void => {
  const keyIdsOf = (...operations: string[]) =>
    auditIn(tables)
      .filter(({ operation }) => operations.includes(operation))
      .map(({ keyId }) => String(keyId));
  const [made, deleted] = [keyIdsOf('issue', 'createApiKey'), keyIdsOf('deleteApiKey')];
  assert.equal(new Set(made).size, made.length, 'a key is twice on record as made');
  assert.equal(new Set(deleted).size, deleted.length, 'a key is twice on record as deleted');
  assert.deepEqual(
    keysIn(tables)
      .map(({ keyId }) => keyId)
      .sort(),
    made.filter((keyId) => !deleted.includes(keyId)).sort(),
    'the keys that exist are not those on record as made and not as deleted',
  );
};

/** A successful change has one audit row. A refused one has none, except that a 503 leaves it open. */
export const answersAreOnRecord = (tables: Tables, { exchanges }: Partner): void => {
  // Rows from before the company's first request belong to no answer.
  const rows = auditIn(tables).filter(({ operation }) => !['issue', 'register'].includes(operation));
  const rowsOfRequest = Map.groupBy(rows, ({ requestId }) => requestId);
  for (const exchange of exchanges) {
    const { operationId, answer } = exchange;
    const count = rowsOfRequest.get(requestIdOf(exchange))?.length ?? 0;
    rowsOfRequest.delete(requestIdOf(exchange));
    const what = `${operationId}, answered ${answer.status} ${answer.body?.code ?? ''}, has ${count} audit rows`;
    if (isChange(exchange) && answer.status < 300) assert.equal(count, 1, what);
    else if (mayChange(exchange) && answer.status < 300) assert(count <= 1, what);
    else if ((isChange(exchange) || mayChange(exchange)) && answer.status === 503) assert(count <= 1, what);
    else assert.equal(count, 0, what);
  }
  assert.deepEqual([...rowsOfRequest.keys()], [], 'audit rows are of no request that was made');
};

/** The version of a circuit, time program or holiday grew by one per recorded change, and each 202 returned one of these. */
export const changesAreOnRecord = (tables: Tables, { exchanges }: Partner): void => {
  const recorded = new Set(auditIn(tables).map(({ requestId }) => requestId));
  const changes = exchanges.filter(({ operationId }) => (endpoints[operationId] as Endpoint).ifMatch !== undefined);
  const ofItem = Map.groupBy(changes, (exchange) => String(itemKeyOf(exchange)?.sk));
  for (const [sk, changesOfItem] of ofItem) {
    const stored = versionIn(tables, changesOfItem[0] as Exchange);
    const count = changesOfItem.filter((exchange) => recorded.has(requestIdOf(exchange))).length;
    assert.equal(stored - 1, count, `${sk} has version ${stored}, and ${count} changes of it are on record`);
    const answered = changesOfItem.filter(({ answer }) => answer.status === 202);
    const versions = answered.map(({ answer }) => answer.body.version);
    assert.equal(new Set(versions).size, versions.length, `two answers told the same version of ${sk}`);
    for (const exchange of answered) {
      const { version } = exchange.answer.body;
      assert(stored >= version, `${sk} was answered with version ${version}, and is stored with ${stored}`);
      const expected = expectedVersionOf(exchange) ?? version - 1;
      assert.equal(version, expected + 1, `a change of ${sk} for version ${expected} was answered with ${version}`);
    }
  }
  const untouched = [...rowsOf(tables, 'Appliances').values()].filter(
    ({ sk }) => /^(CIRCUIT#|PROGRAM#|HOLIDAY$)/.test(String(sk)) && !ofItem.has(String(sk)),
  );
  for (const { sk, version } of untouched) assert.equal(version, 1, `${sk} changed, and nobody asked for it`);
};

/** A creation and its repeats return the same key. */
export const repeatsShowOneKey = ({ exchanges }: Partner): void => {
  const shown = new Map<string, string>();
  for (const { creationId, answer } of exchanges) {
    if (creationId === undefined || answer.status !== 201) continue;
    assert.equal(answer.body.apiKey, shown.get(creationId) ?? answer.body.apiKey, 'a repeat showed another key');
    shown.set(creationId, answer.body.apiKey);
  }
};

/** Returns the rows of a company as they are now. */
export const readStored = async (store: Store, { companyId, gatewayId }: EquippedCompany): Promise<Tables> => {
  const partitions: [TableName, string][] = [
    ['ApiKeys', companyId],
    ['AuditLog', companyId],
    ['Appliances', gatewayId],
    ['Webhooks', companyId],
  ];
  const read = partitions.map(async ([table, partition]) => {
    const items = (await readPartition(store, table, partition)) as Item[];
    return [table, new Map(items.map((item) => [keyText(tables[table], item), item]))] as const;
  });
  return Object.fromEntries(await Promise.all(read));
};

const readPartition = (store: Store, table: TableName, partition: string) =>
  readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName: store.tableName(table),
        ConsistentRead: true,
        KeyConditionExpression: '#partition = :partition',
        ExpressionAttributeNames: { '#partition': tables[table].partitionKey },
        ExpressionAttributeValues: { ':partition': partition },
        ExclusiveStartKey: after,
      }),
    ),
  );

/** Returns the arrival times of these buckets; 0 for a bucket without a record. */
export const readArrivals = async (store: Store, bucketIds: readonly string[]): Promise<Map<string, number>> => {
  const TableName = store.tableName('TokenBuckets');
  const read = bucketIds.map(async (bucketId) => {
    const { Item } = await store.send(new GetCommand({ TableName, Key: { bucketId }, ConsistentRead: true }));
    return [bucketId, Number(Item?.tat ?? 0)] as const;
  });
  return new Map(await Promise.all(read));
};

const ratePolicyOf = ({ operationId }: Exchange) => ratePolicies[(endpoints[operationId] as Endpoint).ratePolicy];

export const bucketOf = ({ companyId, operationId, request: { pathParameters = {} } }: Exchange): string =>
  bucketIdOf(rateLimitKeyOf(companyId, operationId, endpoints[operationId].path, pathParameters));

/** Whether a call took a token. An answer 401, 429 or 503 counts as no token. */
const wasAdmitted = ({ answer: { status } }: Exchange): boolean => ![401, 429, 503].includes(status);

/** No bucket admitted more requests than it held tokens. */
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
