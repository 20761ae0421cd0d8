import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { emptyInventory, type Inventory, isRemoved } from '../../domain/gateway.ts';
import { retrying } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/writes.ts';

/** The inventory as it was read; the revision counts its changes. */
export type StoredInventory = Inventory & { readonly revision: number };

export const inventoryItemKey = (gatewayId: string) => ({ gatewayId, sk: 'INVENTORY' });

export const readInventory = async (store: Store, gatewayId: string): Promise<StoredInventory | undefined> => {
  const { Item } = await store.send(
    new GetCommand({
      TableName: store.tableName('Appliances'),
      Key: inventoryItemKey(gatewayId),
      ConsistentRead: true,
    }),
  );
  return Item as StoredInventory | undefined;
};

/** What a fact changes in the inventory and in the gateway's item. */
export type InventoryChange = FactOutcome & { readonly next: Inventory; readonly gateway?: TransactItem | undefined };

/**
 * Applies a fact to the inventory and, in the same transaction, to the gateway's item. Writes nothing if the fact changes
 * nothing.
 */
export const changeInventory = (
  store: Store,
  gatewayId: string,
  change: (inventory: Inventory) => Promise<InventoryChange> | InventoryChange,
): Promise<FactOutcome> =>
  // An attempt fails if the inventory or the gateway was changed concurrently.
  retrying({ to: 'change an inventory', atMost: 10 }, async () => {
    const seen = await readInventory(store, gatewayId);
    const { outcome, next, gateway } = await change(seen ?? emptyInventory);
    if (isDeepStrictEqual(next, seen ?? emptyInventory)) return { outcome };
    const inventory = putInventory(store, gatewayId, next, seen);
    const failed = await transact(store, gateway ? { inventory, gateway } : { inventory });
    return failed ? undefined : { outcome };
  });

/** Queues, dead letters included, keep a late fact for 28 days. */
const tombstoneLifetimeMs = 60 * 86_400_000;

/** The transaction item that stores an inventory. It fails if the inventory has changed since it was read, or was created. */
const putInventory = (
  store: Store,
  gatewayId: string,
  next: Inventory,
  seen: StoredInventory | undefined,
): TransactItem => {
  const { describedAtMs, removedAtMs, absentAtMs, lastVersion, facts, isErased } = next;
  const revision = (seen?.revision ?? 0) + 1;
  // The appliance of an erased owner may continue to report forever.
  const isToGo = isRemoved(next) && !isErased;
  const removeAt = isToGo ? Math.ceil((removedAtMs + tombstoneLifetimeMs) / 1000) : undefined;
  return {
    Put: {
      TableName: store.tableName('Appliances'),
      Item: {
        ...inventoryItemKey(gatewayId),
        describedAtMs,
        removedAtMs,
        absentAtMs,
        lastVersion,
        facts,
        isErased,
        revision,
        removeAt,
      },
      ...isAsSeen(seen),
    },
  };
};

/** The transaction item that fails if the inventory has changed since it was read, or was created. */
export const inventoryIsUnchanged = (
  store: Store,
  gatewayId: string,
  seen: StoredInventory | undefined,
): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Appliances'),
    Key: inventoryItemKey(gatewayId),
    ...isAsSeen(seen),
  },
});

/** Does the same, and fails in all but one of the transactions that have seen the same inventory. */
export const countInInventory = (store: Store, gatewayId: string, { revision }: StoredInventory): TransactItem => ({
  Update: {
    TableName: store.tableName('Appliances'),
    Key: inventoryItemKey(gatewayId),
    UpdateExpression: 'SET revision = :next',
    ConditionExpression: 'revision = :seen',
    ExpressionAttributeValues: { ':seen': revision, ':next': revision + 1 },
  },
});

const isAsSeen = (seen: StoredInventory | undefined) =>
  seen
    ? { ConditionExpression: 'revision = :seen', ExpressionAttributeValues: { ':seen': seen.revision } }
    : { ConditionExpression: 'attribute_not_exists(sk)' };

/**
 * Stores the version of an item that is about to be deleted, unless a deleted item had a higher one. An item that is created
 * after the deletion begins above it. A transaction, although it is one item: roles of operators may write in no other way.
 */
export const keepLastVersion = async (store: Store, gatewayId: string, version: number): Promise<void> => {
  await transact(store, {
    inventory: {
      Update: {
        TableName: store.tableName('Appliances'),
        Key: inventoryItemKey(gatewayId),
        UpdateExpression: 'SET lastVersion = :version, revision = revision + :one',
        ConditionExpression: 'lastVersion < :version',
        ExpressionAttributeValues: { ':version': version, ':one': 1 },
      },
    },
  });
};

/**
 * Returns the outcome for a fact about a missing gateway: stale if the fact is from before the removal, or the gateway was
 * erased.
 */
export const outcomeWithoutGateway = (inventory: Inventory | undefined, atMs: number): FactOutcome['outcome'] =>
  inventory && isRemoved(inventory) && (inventory.isErased || atMs <= inventory.removedAtMs)
    ? 'stale'
    : 'gateway-not-found';

/**
 * The outcome of a fact from the gateway backend. A stale fact is older than what is stored, or repeats it, and needs no retry.
 * For an unknown gateway or version nothing is written, and the fact may be sent again. `noted`: the report is of an item beyond
 * the limits, which does not exist.
 */
export type FactOutcome = {
  readonly outcome: 'applied' | 'noted' | 'stale' | 'gateway-not-found' | 'version-not-found';
  /** What was expected of a part of the fact that had no effect, if there is one. */
  readonly unused?: string | undefined;
};
