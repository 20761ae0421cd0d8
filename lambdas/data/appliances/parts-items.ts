import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { isRemoved } from '../../domain/gateway.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { transact, updateIf } from '../store/writes.ts';
import { type FactOutcome, inventoryIsUnchanged, outcomeWithoutGateway, readInventory } from './inventory.ts';

/**
 * A part of an item, ordered by a time of its own: the report of a day or an hour, or a measurement. A list takes less room than
 * an object.
 */
type Part = { readonly atMs: number } | readonly [atMs: number, ...values: unknown[]];

/** The start of the sort keys of all items with parts: after circuits and time programs, so that a query for a home reads none. */
export const partsPrefix = 'REPORTED_';

type PartsSortKey = `${typeof partsPrefix}${string}`;

/**
 * An item with reported parts: the days of a month or the hours of a day with their energy, or the measurements of a home.
 * `Parts` is the attribute that has the map of them; no other attribute is a map.
 */
export type PartsItem<Parts extends string, Each extends Part> = AnyPartsItem & {
  readonly [Name in Parts]: Readonly<Record<string, Each>>;
};

/** What all items with parts have. */
export type AnyPartsItem = {
  readonly gatewayId: string;
  readonly sk: PartsSortKey;
  /** When this service received the last report that changed the item. */
  readonly receivedAtMs: number;
  /** The last removal of the gateway that was applied to the item: reports up to this time do not count. */
  readonly removedAtMs: number;
  /** When no part of the item is kept any longer, in epoch seconds. */
  readonly removeAt: number;
};

/**
 * Stores a report if it is newer than what is stored of its part. `item` has only the reported part, and becomes the item of
 * its period if the period has no item. A report that cannot be read as a whole has `complete`, which returns the part with
 * the stored values instead of those that cannot be read.
 */
export const reportPart = <Parts extends string, Each extends Part>(
  store: Store,
  item: PartsItem<Parts, Each>,
  complete?: (stored: Each) => Each,
): Promise<FactOutcome> => {
  const [attribute, parts] = partsOf<Each>(item);
  const [[name, part]] = Object.entries(parts) as [[string, Each]];
  const atMs = atMsOf(part);
  const stored = `${attribute}.#part`;
  const storedAtMs = `${stored}${Array.isArray(part) ? '[0]' : '.atMs'}`;
  const [isFirst, isNewer] = [`attribute_not_exists(${stored})`, `${storedAtMs} < :at`];
  // An attempt fails if the item was created, changed or deleted concurrently.
  return retryingFrom(undefined as Each | undefined, { to: 'store a report', atMost: 10 }, async (seen) => {
    const condition = seen ? `${stored} = :seen` : complete ? isFirst : `(${isFirst} OR ${isNewer})`;
    const { isApplied, item: known } = await updateIf(store, 'Appliances', {
      Key: keyOf(item),
      UpdateExpression: `SET ${stored} = :told, receivedAtMs = :receivedAt`,
      ConditionExpression: `removedAtMs < :at AND ${condition}`,
      ExpressionAttributeNames: { '#part': name },
      ExpressionAttributeValues: {
        ':told': seen && complete ? complete(seen) : part,
        ':at': atMs,
        ':receivedAt': item.receivedAtMs,
        ...(seen && { ':seen': seen }),
      },
    });
    if (isApplied) return { outcome: 'applied' };
    if (known) {
      const [, others] = partsOf<Each>(known as AnyPartsItem);
      const other = others[name];
      const isStale = (known as AnyPartsItem).removedAtMs >= atMs || (other !== undefined && atMsOf(other) >= atMs);
      return isStale || !complete ? { outcome: 'stale' } : again(other);
    }
    const creation = await createItem(store, item.gatewayId, atMs, (removedAtMs) =>
      atMs > removedAtMs ? { ...item, removedAtMs } : undefined,
    );
    return creation === 'exists' ? again(undefined) : { outcome: creation };
  });
};

/** Returns the attribute of an item that has its parts, and the parts. */
export const partsOf = <Each extends Part>(item: AnyPartsItem) =>
  Object.entries<unknown>(item).find(([, value]) => typeof value === 'object') as [
    attribute: string,
    parts: Readonly<Record<string, Each>>,
  ];

/** Returns the time that orders a part. */
export const atMsOf = (part: Part): number => ('atMs' in part ? part.atMs : part[0]);

const keyOf = ({ gatewayId, sk }: AnyPartsItem) => ({ gatewayId, sk });

/**
 * Creates an item if the gateway exists at the time of the report. `itemSince` returns the item with what is newer than the last
 * removal of the gateway; undefined if nothing is. Returns `exists` if another write was faster.
 */
export const createItem = async (
  store: Store,
  gatewayId: string,
  atMs: number,
  itemSince: (removedAtMs: number) => AnyPartsItem | undefined,
) => {
  const inventory = await readInventory(store, gatewayId);
  if (!inventory || isRemoved(inventory)) return outcomeWithoutGateway(inventory, atMs);
  const item = itemSince(inventory.removedAtMs);
  if (!item) return 'stale';
  const failed = await transact(store, {
    inventory: inventoryIsUnchanged(store, gatewayId, inventory),
    item: {
      Put: {
        TableName: store.tableName('Appliances'),
        Item: item,
        ConditionExpression: 'attribute_not_exists(sk)',
      },
    },
  });
  return failed ? 'exists' : 'applied';
};

/** Returns all items with parts of a gateway, strongly consistent. */
export const readPartsItems = async (store: Store, gatewayId: string): Promise<AnyPartsItem[]> => {
  const { items } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix: partsPrefix });
  return items as object[] as AnyPartsItem[];
};

type PartsItemKey = Pick<AnyPartsItem, 'gatewayId' | 'sk'>;

/** Returns the items from one period of a kind to another, both included, in their order, strongly consistent. */
export const readPeriods = async <Item extends AnyPartsItem>(
  store: Store,
  first: PartsItemKey,
  last: PartsItemKey,
): Promise<Item[]> => {
  const { Items = [] } = await store.send(
    new QueryCommand({
      TableName: store.tableName('Appliances'),
      ConsistentRead: true,
      KeyConditionExpression: 'gatewayId = :gatewayId AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':gatewayId': first.gatewayId, ':first': first.sk, ':last': last.sk },
    }),
  );
  return Items as Item[];
};

/** Deletes the parts of a gateway up to the time of its removal; later parts stay. */
export const removePartsUntil = async (store: Store, gatewayId: string, atMs: number): Promise<void> => {
  for (const item of await readPartsItems(store, gatewayId)) await removePartsOf(store, item, atMs);
};

const removePartsOf = (store: Store, found: AnyPartsItem, atMs: number): Promise<void> =>
  // An attempt fails if a report or another removal changed the item concurrently.
  retryingFrom(found, { to: 'remove what a gateway reported', atMost: 10 }, async (item) => {
    const { removedAtMs } = item;
    // A removal of that time or later was already applied, and the item accepts no report from before it.
    if (removedAtMs >= atMs) return undefined;
    const [attribute, parts] = partsOf(item);
    const left = Object.fromEntries(Object.entries(parts).filter(([, part]) => atMsOf(part) > atMs));
    const table = { TableName: store.tableName('Appliances'), Key: keyOf(item) };
    const asSeen = `${attribute} = :seen`;
    const failed = await transact(store, {
      item:
        Object.keys(left).length === 0
          ? {
              Delete: {
                ...table,
                ConditionExpression: asSeen,
                ExpressionAttributeValues: { ':seen': parts },
                ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
              },
            }
          : {
              Update: {
                ...table,
                UpdateExpression: `SET ${attribute} = :left, removedAtMs = :at`,
                ConditionExpression: `${asSeen} AND removedAtMs = :seenRemovedAt`,
                ExpressionAttributeValues: {
                  ':left': left,
                  ':at': atMs,
                  ':seen': parts,
                  ':seenRemovedAt': removedAtMs,
                },
                ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
              },
            },
    });
    return failed?.old ? again(failed.old as object as AnyPartsItem) : undefined;
  });
