import { createHash } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Requester, Shadow } from '../../domain/appliance.ts';
import { batchGet } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { type ApplianceItemKey, readShadows, type StoredShadow } from './appliances.ts';

/**
 * Makes the index `byOpenSince` find an item from its first unfulfilled change on. A further change does not write to the
 * index.
 */
export const opened =
  'openPartition = if_not_exists(openPartition, :openPartition), openSince = if_not_exists(openSince, :openSince)';

/** The values of `opened`. */
export const openFrom = (gatewayId: string, { atMs }: Requester) => ({
  ':openPartition': openPartitionOf(gatewayId),
  ':openSince': new Date(atMs).toISOString(),
});

/** Removes a fulfilled change from its item. */
export const fulfilled = 'REMOVE desired, desiredBy, lastRefusal, openPartition, openSince';

/** A single partition of the index would throttle the changes of all gateways. Readers of the index read all of these. */
const openPartitions = Array.from({ length: 8 }, (_, number) => `open#${number}`);

const openPartitionOf = (gatewayId: string): string => {
  const [byte = 0] = createHash('sha256').update(gatewayId).digest();
  return openPartitions[byte % openPartitions.length] as string;
};

/** A requested change that its appliance has not fulfilled yet: the sort key of the item, and all of its desired settings. */
export type OpenChange = {
  readonly gatewayId: string;
  readonly sk: string;
  readonly version: number;
  readonly desired: NonNullable<Shadow['desired']>;
  readonly desiredBy: Requester;
};

/** Returns the open changes of a gateway, strongly consistent. */
export const listOpenChanges = async (store: Store, gatewayId: string): Promise<OpenChange[]> =>
  (await readShadows(store, gatewayId)).flatMap(openChangeOf(gatewayId));

const openChangeOf =
  (gatewayId: string) =>
  ({ sk, version, desired, desiredBy }: StoredShadow): OpenChange[] =>
    desired && desiredBy ? [{ gatewayId, sk, version, desired, desiredBy }] : [];

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

/** An open change, the time since when its item has had one without a break, and the appliance's refusal, if any. */
export type ListedChange = OpenChange & Pick<Shadow, 'lastRefusal'> & { readonly openSince: string };

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
