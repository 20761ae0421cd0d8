import { createHash } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Shadow } from '../../domain/appliance.ts';
import { firstExpiryOf, type Requesters } from '../../domain/open-change.ts';
import { batchGet, readAllPages } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import type { ApplianceItemKey, StoredShadow } from './appliances.ts';

/**
 * Makes the index `byOpenSince` find an item from its first unfulfilled change on. A further change does not write to the
 * index.
 */
export const opened =
  'openPartition = if_not_exists(openPartition, :openPartition), openSince = if_not_exists(openSince, :openSince)';

/** The values of `opened`. */
export const openFrom = (gatewayId: string, atMs: number) => ({
  ':openPartition': openPartitionOf(gatewayId),
  ':openSince': new Date(atMs).toISOString(),
});

/**
 * Makes the index `byOpenUntil` find an item from the time on at which the first of its desired properties expires: what a write
 * of these properties sets and removes beside them, and the values.
 */
export const expiring = (requesters: Requesters) => {
  const untilMs = firstExpiryOf(requesters);
  return untilMs === undefined
    ? { sets: '', removes: ', openUntil', values: {} }
    : { sets: ', openUntil = :openUntil', removes: '', values: { ':openUntil': new Date(untilMs).toISOString() } };
};

/** The attributes that an item has only while a change of it is open. */
export const requestAttributes: readonly string[] = [
  'desired',
  'desiredBy',
  'desiredAtMs',
  'desiresLevels',
  'unsaid',
  'lastRefusal',
  'openPartition',
  'openSince',
  'openUntil',
];

/** Removes a change from its item that is not open any more. */
export const closed = `REMOVE ${requestAttributes.join(', ')}`;

/** A single partition of an index would throttle the changes of all gateways. Readers of an index read all of these. */
export const openPartitions = Array.from({ length: 8 }, (_, number) => `open#${number}`);

const openPartitionOf = (gatewayId: string): string => {
  const [byte = 0] = createHash('sha256').update(gatewayId).digest();
  return openPartitions[byte % openPartitions.length] as string;
};

/** An item with a requested change that its appliance has not fulfilled yet: all of its desired settings, and who asked. */
export type OpenChange = StoredShadow & {
  readonly gatewayId: string;
  readonly desired: NonNullable<Shadow['desired']>;
  readonly desiredBy: Requesters;
};

/** Returns the open changes of a gateway, strongly consistent, in the order of their sort keys. */
export const listOpenChanges = async (store: Store, gatewayId: string): Promise<OpenChange[]> => {
  const items = await readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName: store.tableName('Appliances'),
        ConsistentRead: true,
        // Circuits, the holiday and programs are in this range, with some rows that have no version; energy is not.
        KeyConditionExpression: 'gatewayId = :gatewayId AND sk BETWEEN :first AND :last',
        FilterExpression: 'attribute_exists(desired) AND attribute_exists(version)',
        ExpressionAttributeValues: { ':gatewayId': gatewayId, ':first': 'CIRCUIT#', ':last': 'PROGRAM$' },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return items as object[] as OpenChange[];
};

/**
 * Returns the changes of all gateways that have been open since before that time, the oldest first, at most `limit`. It reads
 * an index, so the cost depends on the number of open changes and not on that of gateways. An index may lag behind: each item
 * is read again, strongly consistent, and left out if its change was fulfilled meanwhile.
 */
export const listChangesOpenSince = async (
  store: Store,
  beforeMs: number,
  limit: number,
): Promise<{ readonly changes: readonly ListedChange[]; readonly hasMore: boolean }> => {
  const found = await Promise.all(openPartitions.map((partition) => readOldest(store, partition, beforeMs, limit + 1)));
  const oldest = found.flat().toSorted((one, other) => (one.openSince < other.openSince ? -1 : 1));
  const table = store.tableName('Appliances');
  const Keys = oldest.slice(0, limit).map(({ gatewayId, sk }) => ({ gatewayId, sk }));
  const items = Keys.length > 0 ? await batchGet(store, { [table]: { Keys, ConsistentRead: true } }) : () => [];
  const before = new Date(beforeMs).toISOString();
  const changes = (items(table) as object[] as Partial<ListedChange>[])
    .filter((item): item is ListedChange => item.openSince !== undefined && item.openSince < before)
    .toSorted((one, other) => (one.openSince < other.openSince ? -1 : 1));
  return { changes, hasMore: oldest.length > limit };
};

/**
 * Returns, page by page, the items in a partition of the index of which something has expired at that time, the earliest first.
 * Each item is read again, strongly consistent, because an index may lag behind.
 */
export async function* expiredChanges(
  store: Pick<Store, 'send' | 'tableName'>,
  partition: string,
  nowMs: number,
): AsyncGenerator<readonly OpenChange[]> {
  const table = store.tableName('Appliances');
  const now = new Date(nowMs).toISOString();
  let after: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await store.send(
      new QueryCommand({
        TableName: table,
        IndexName: 'byOpenUntil',
        KeyConditionExpression: 'openPartition = :partition AND openUntil <= :now',
        ExpressionAttributeValues: { ':partition': partition, ':now': now },
        Limit: expiredPerPage,
        ExclusiveStartKey: after,
      }),
    );
    const Keys = (Items as Indexed[]).map(({ gatewayId, sk }) => ({ gatewayId, sk }));
    const items = Keys.length > 0 ? await batchGet(store, { [table]: { Keys, ConsistentRead: true } }) : () => [];
    yield (items(table) as object[] as (OpenChange & { readonly openUntil?: string })[]).filter(
      ({ openUntil = '' }) => openUntil !== '' && openUntil <= now,
    );
    after = LastEvaluatedKey;
  } while (after);
}

/** DynamoDB reads at most 100 items in a batch. */
const expiredPerPage = 100;

/** An open change, and the time since when its item has had one without a break. */
type ListedChange = OpenChange & { readonly openSince: string };

type Indexed = ApplianceItemKey & { readonly openSince: string };

const readOldest = async (store: Store, partition: string, beforeMs: number, limit: number): Promise<Indexed[]> => {
  const found: Indexed[] = [];
  let after: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await store.send(
      new QueryCommand({
        TableName: store.tableName('Appliances'),
        IndexName: 'byOpenSince',
        KeyConditionExpression: 'openPartition = :partition AND openSince < :before',
        ExpressionAttributeValues: { ':partition': partition, ':before': new Date(beforeMs).toISOString() },
        Limit: limit - found.length,
        ExclusiveStartKey: after,
      }),
    );
    found.push(...(Items as Indexed[]));
    after = LastEvaluatedKey;
  } while (after && found.length < limit);
  return found;
};
