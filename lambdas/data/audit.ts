import { randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { maxAuditQueries, maxPageBytes } from '../api/limits.ts';
import type { KeyIdentity, StoredApiKey } from '../domain/api-key.ts';
import { isOwnChange } from '../domain/audit-visibility.ts';
import { toTimestamp } from '../domain/time.ts';
import { batchGet, readAllPages } from './store/reads.ts';
import type { Store } from './store/store.ts';
import type { TransactItem } from './store/writes.ts';

/** Who changes something, when, and by which operation. */
export type AuditContext = {
  readonly companyId: string;
  /** The time of the change; for an event, the time of its fact. The change with the latest time wins. */
  readonly nowMs: number;
  /** When the change is recorded, if that is not its own time: an event may arrive days after its fact. */
  readonly recordedAtMs?: number | undefined;
  /** The `x-request-id`, by which the request can be found. An operator's command has an id of its own. */
  readonly requestId: string;
  readonly operation: string;
  /** The key that authenticated the request; null if the operator acts. */
  readonly actorKey: KeyIdentity | null;
  /** The owner on whose behalf the change is made, or whose contract or consent it changes. */
  readonly userId?: string | undefined;
  /** The person behind an operator's change, as AWS identifies the caller, and that person's reason. */
  readonly operator?: string | undefined;
  readonly reason?: string | undefined;
  /** Whether the company sees this change of the operator; absent if not. */
  readonly shownToCompany?: true | undefined;
};

/** A recorded change: the operation, the ids of what it changed, and the values before and after. */
export type AuditRow = Omit<AuditContext, 'companyId' | 'nowMs' | 'recordedAtMs' | 'actorKey'> & {
  /** The company. */
  readonly subject: string;
  /** When the change was recorded; RFC 3339, UTC. */
  readonly at: string;
  /** The time of an event's fact; absent if the change was recorded at its own time. */
  readonly factAt?: string;
  readonly actorKeyId: string | null;
} & AuditTarget;

type ChangedValues = Readonly<Record<string, unknown>>;

/** What is changed, by its ids, with the new values, and with the old values where the new ones do not show the change. */
export type AuditTarget = AuditTargetIds & { readonly before?: ChangedValues; readonly after?: ChangedValues };

/** The ids of everything that a change can concern. `audit list` shows all of them, which the compiler enforces. */
export type AuditTargetIds = {
  readonly keyId?: string;
  readonly webhookId?: string;
  readonly gatewayId?: string;
  readonly family?: string;
  readonly circuitId?: string;
  readonly timeProgramId?: string;
  /** An event that was sent by hand, or that is in a dead-letter queue. */
  readonly eventType?: string;
  readonly eventId?: string;
  readonly queue?: string;
  readonly messageId?: string;
  /** The sort key of a row that a restore or an erasure has changed. */
  readonly row?: string;
};

/** The transaction item that records a change. It never replaces another row, and contains no key, hash or secret. */
export const auditPut = (store: Store, auditContext: AuditContext, target: AuditTarget): TransactItem => {
  const { companyId, nowMs, recordedAtMs, actorKey, ...rest } = auditContext;
  const atMs = recordedAtMs ?? nowMs;
  const row: AuditRow = {
    subject: companyId,
    at: toTimestamp(atMs),
    ...(recordedAtMs !== undefined && { factAt: toTimestamp(nowMs) }),
    actorKeyId: actorKey?.keyId ?? null,
    ...rest,
    ...target,
  };
  // Always with milliseconds, so that the sort keys are in the order of time. The suffix is not the request id, which a client
  // can choose.
  const sk = `${new Date(atMs).toISOString()}#${randomUUID()}`;
  return {
    Put: {
      TableName: store.tableName('AuditLog'),
      Item: { ...row, sk },
      ConditionExpression: 'attribute_not_exists(sk)',
    },
  };
};

/** The time of a recorded change. */
export const factMsOf = ({ at, factAt = at }: Pick<AuditRow, 'at' | 'factAt'>): number => Date.parse(factAt);

/** Selects the changes of a company, on behalf of a user, or to a gateway. */
export type AuditScope = { readonly by: 'company' | 'user' | 'gateway'; readonly id: string };

/** The position at which a page ends; pass it unchanged to read the next page. */
export type AuditPosition = Readonly<Record<string, unknown>>;

export type AuditPage = { readonly rows: readonly AuditRow[]; readonly next: AuditPosition | undefined };

const scopes = {
  company: { partitionKey: 'subject', index: {} },
  user: { partitionKey: 'userId', index: { IndexName: 'byUser' } },
  gateway: { partitionKey: 'gatewayId', index: { IndexName: 'byGateway' } },
} as const;

/**
 * Returns a page of recorded changes, newest first. By user and by gateway it reads an index, which may lag a moment behind.
 */
export const readAuditLog = async (
  store: Store,
  { by, id }: AuditScope,
  limit: number,
  after?: AuditPosition,
): Promise<AuditPage> => {
  const { partitionKey, index } = scopes[by];
  const { Items = [], LastEvaluatedKey } = await store.send(
    new QueryCommand({
      TableName: store.tableName('AuditLog'),
      ...index,
      KeyConditionExpression: '#partitionKey = :id',
      ExpressionAttributeNames: { '#partitionKey': partitionKey },
      ExpressionAttributeValues: { ':id': id },
      ScanIndexForward: false,
      Limit: limit,
      ...(after && { ExclusiveStartKey: { ...after } }),
    }),
  );
  return { rows: Items as AuditRow[], next: LastEvaluatedKey };
};

/** The sort key of a row: its time and a random id. */
export const auditPositionPattern = /^[\d.:TZ-]{24}#[\da-f-]{36}$/;

type OwnChangesPage = {
  /** Changes before this time are left out. */
  readonly sinceMs: number;
  readonly limit: number;
  /** The sort key at which the previous page ended. */
  readonly after: string | undefined;
};

/**
 * Returns a page of the changes that a company sees, newest first, strongly consistent. Changes that it does not see lie
 * between them, and no further query follows one with as much as fits into an answer, so the page may have fewer than `limit`
 * although there are more: then `next` is the sort key to continue after.
 */
export const readOwnChanges = async (
  store: Store,
  companyId: string,
  { sinceMs, limit, after }: OwnChangesPage,
): Promise<{ readonly rows: readonly StoredAuditRow[]; readonly next: string | undefined }> => {
  const since = new Date(sinceMs).toISOString();
  const rows: StoredAuditRow[] = [];
  const isFull = () => rows.length >= limit || JSON.stringify(rows).length >= maxPageBytes;
  let next = after;
  for (let queries = 0; queries < maxAuditQueries && !isFull(); queries++) {
    // DynamoDB rejects a start before the first key of the range.
    if (next !== undefined && next < since) return { rows, next: undefined };
    const { Items = [], LastEvaluatedKey } = await store.send(
      new QueryCommand({
        TableName: store.tableName('AuditLog'),
        ConsistentRead: true,
        KeyConditionExpression: 'subject = :companyId AND sk >= :since',
        ExpressionAttributeValues: { ':companyId': companyId, ':since': since },
        ScanIndexForward: false,
        Limit: limit - rows.length,
        ...(next !== undefined && { ExclusiveStartKey: { subject: companyId, sk: next } }),
      }),
    );
    rows.push(...(Items as StoredAuditRow[]).filter(isOwnChange));
    if (!LastEvaluatedKey) return { rows, next: undefined };
    next = String(LastEvaluatedKey.sk);
  }
  return { rows, next };
};

/** A row with its sort key, which is unique within its company. */
export type StoredAuditRow = AuditRow & { readonly sk: string };

/** Returns all changes recorded for a company since a time, oldest first, strongly consistent. Not for functions. */
export const readAuditSince = async (
  store: Store,
  TableName: string,
  companyId: string,
  sinceMs: number,
  untilMs?: number,
): Promise<StoredAuditRow[]> => {
  // No time begins with this digit.
  const until = untilMs === undefined ? '9' : new Date(untilMs).toISOString();
  const items = await readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: 'subject = :companyId AND sk BETWEEN :since AND :until',
        ExpressionAttributeValues: {
          ':companyId': companyId,
          ':since': new Date(sinceMs).toISOString(),
          ':until': until,
        },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return items as StoredAuditRow[];
};

/** Returns the values that a change replaces, as they were read. */
export const valuesBefore = (seen: object, change: object): ChangedValues => {
  const values: ChangedValues = { ...seen };
  return Object.fromEntries(Object.keys(change).map((name) => [name, values[name]]));
};

/** The key of a deleted key's tombstone in AuditLog, in a partition of its own, apart from the changes of its company. */
const tombstoneKey = (companyId: string, keyId: string) => ({ subject: `${companyId}/${keyId}`, sk: 'DELETED' });

/** What is kept forever of a deleted key: who created it, so that the keys that it created itself can still be found. */
export type KeyTombstone = Pick<StoredApiKey, 'createdByKeyId'>;

/** The transaction item that stores the tombstone of a deleted key. The audit row has who deleted the key, and when. */
export const putKeyTombstone = (store: Store, { companyId, keyId, createdByKeyId }: StoredApiKey): TransactItem => ({
  Put: {
    TableName: store.tableName('AuditLog'),
    Item: { ...tombstoneKey(companyId, keyId), createdByKeyId },
  },
});

/** Returns the existing tombstones of these keys, by key id. */
export const readKeyTombstones = async (
  store: Store,
  companyId: string,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, KeyTombstone>> => {
  const TableName = store.tableName('AuditLog');
  const Keys = keyIds.map((keyId) => tombstoneKey(companyId, keyId));
  const items = await batchGet(store, { [TableName]: { Keys, ConsistentRead: true } });
  return new Map(
    items(TableName).map(({ subject, createdByKeyId }) => [
      String(subject).slice(companyId.length + 1),
      { createdByKeyId } as KeyTombstone,
    ]),
  );
};

/** The transaction item of a copy that fails if the key was ever deleted, whatever was read before. */
export const neverDeletedCheck = (store: Store, companyId: string, keyId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('AuditLog'),
    Key: tombstoneKey(companyId, keyId),
    ConditionExpression: 'attribute_not_exists(sk)',
  },
});
