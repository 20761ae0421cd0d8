import { randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { KeyIdentity, StoredApiKey } from '../domain/api-key.ts';
import { toTimestamp } from '../domain/time.ts';
import { batchGet, readAllPages } from './store/reads.ts';
import type { Store } from './store/store.ts';
import type { TransactItem } from './store/writes.ts';

/** Says who changes something, when and through what. */
export type AuditContext = {
  readonly companyId: string;
  /** The time of the change: of an event that of its fact. The last by this time stands. */
  readonly nowMs: number;
  /** When it is put on record, where that is not its own time: an event may come days after its fact. */
  readonly recordedAtMs?: number | undefined;
  /** The `x-request-id`: it finds the request. An operator's command has one of its own. */
  readonly requestId: string;
  readonly operation: string;
  /** The key that authenticated the request; null if the operator acts. */
  readonly actorKey: KeyIdentity | null;
  /** The owner on whose behalf it is, or whose contract or consent is changed. */
  readonly userId?: string | undefined;
  /** The person behind the act of an operator, as AWS knows the caller, and why they did it. */
  readonly operator?: string | undefined;
  readonly reason?: string | undefined;
};

/** A change on record: the act, by their ids the things that it changed, and what was before and after. */
export type AuditRow = Omit<AuditContext, 'companyId' | 'nowMs' | 'recordedAtMs' | 'actorKey'> & {
  /** The company. */
  readonly subject: string;
  /** When it was put on record; RFC 3339, UTC. */
  readonly at: string;
  /** The time of the fact that an event told; other changes are as of the time at which they are on record. */
  readonly factAt?: string;
  readonly actorKeyId: string | null;
} & AuditTarget;

type ChangedValues = Readonly<Record<string, unknown>>;

/** What is changed: by its ids, and where the new values alone do not tell it, with the old ones. */
export type AuditTarget = AuditTargetIds & { readonly before?: ChangedValues; readonly after?: ChangedValues };

/** Whatever a change can be of. `audit list` shows each of them, which the compiler holds. */
export type AuditTargetIds = {
  readonly keyId?: string;
  readonly webhookId?: string;
  readonly gatewayId?: string;
  readonly family?: string;
  readonly circuitId?: string;
  readonly timeProgramId?: string;
  /** An event that was sent by hand, or that a dead letter holds. */
  readonly eventType?: string;
  readonly eventId?: string;
  readonly queue?: string;
  readonly messageId?: string;
  /** The sort key of a row that a restore has brought back. */
  readonly row?: string;
};

/** The part of a change's transaction that puts it on record, never over another row. Holds no key, hash or secret. */
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
  // Always with milliseconds, so that the order of the text is that of time; the rest is no request id, which a client can choose.
  const sk = `${new Date(atMs).toISOString()}#${randomUUID()}`;
  return {
    Put: {
      TableName: store.tableName('AuditLog'),
      Item: { ...row, sk },
      ConditionExpression: 'attribute_not_exists(sk)',
    },
  };
};

/** The time of the change that a row tells of. */
export const factMsOf = ({ at, factAt = at }: Pick<AuditRow, 'at' | 'factAt'>): number => Date.parse(factAt);

/** Selects the changes of a company, on behalf of a user, or to a gateway. */
export type AuditScope = { readonly by: 'company' | 'user' | 'gateway'; readonly id: string };

/** The position at which a page ends; hand it back unchanged to go on. */
export type AuditPosition = Readonly<Record<string, unknown>>;

export type AuditPage = { readonly rows: readonly AuditRow[]; readonly next: AuditPosition | undefined };

const scopes = {
  company: { partitionKey: 'subject', index: {} },
  user: { partitionKey: 'userId', index: { IndexName: 'byUser' } },
  gateway: { partitionKey: 'gatewayId', index: { IndexName: 'byGateway' } },
} as const;

/** A page of the changes on record, newest first. By user and by gateway it may lag a moment behind, as indexes do. */
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

/** A row with its sort key, which tells it from all others of its company. */
export type StoredAuditRow = AuditRow & { readonly sk: string };

/** All that was put on record for a company since a time, oldest first, strongly consistent. Not for functions. */
export const readAuditSince = async (
  store: Store,
  TableName: string,
  companyId: string,
  sinceMs: number,
): Promise<StoredAuditRow[]> => {
  const items = await readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: 'subject = :companyId AND sk >= :since',
        ExpressionAttributeValues: { ':companyId': companyId, ':since': new Date(sinceMs).toISOString() },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return items as StoredAuditRow[];
};

/** The values that a change replaces, as they were seen. */
export const valuesBefore = (seen: object, change: object): ChangedValues => {
  const values: ChangedValues = { ...seen };
  return Object.fromEntries(Object.keys(change).map((name) => [name, values[name]]));
};

/** The one place that a deleted key has in AuditLog, apart from the acts of its company. */
const tombstoneKey = (companyId: string, keyId: string) => ({ subject: `${companyId}/${keyId}`, sk: 'DELETED' });

/** What is kept of a deleted key for good: who created it, so that it hides nobody whom it created itself. */
export type KeyTombstone = Pick<StoredApiKey, 'createdByKeyId'>;

/** The part of a deletion's transaction that leaves a tombstone. Who deleted the key, and when, is in the audit row. */
export const putKeyTombstone = (store: Store, { companyId, keyId, createdByKeyId }: StoredApiKey): TransactItem => ({
  Put: {
    TableName: store.tableName('AuditLog'),
    Item: { ...tombstoneKey(companyId, keyId), createdByKeyId },
  },
});

/** The tombstones that there are of keys, by their ids. One from before version 1.4 does not know who created its key. */
export const readKeyTombstones = async (
  store: Store,
  companyId: string,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, KeyTombstone>> => {
  const TableName = store.tableName('AuditLog');
  const Keys = keyIds.map((keyId) => tombstoneKey(companyId, keyId));
  const items = await batchGet(store, { [TableName]: { Keys, ConsistentRead: true } });
  return new Map(
    items(TableName).map(({ subject, createdByKeyId = null }) => [
      String(subject).slice(companyId.length + 1),
      { createdByKeyId } as KeyTombstone,
    ]),
  );
};

/** The part of a copy's transaction that holds only if the key was never deleted, whatever was read before. */
export const neverDeletedCheck = (store: Store, companyId: string, keyId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('AuditLog'),
    Key: tombstoneKey(companyId, keyId),
    ConditionExpression: 'attribute_not_exists(sk)',
  },
});
