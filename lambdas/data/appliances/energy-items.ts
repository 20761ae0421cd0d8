import type { CoolingUse, EnergyUse } from '../../api/schemas/energy.ts';
import { isRemoved } from '../../domain/gateway.ts';
import { again, retrying, retryingFrom } from '../store/attempts.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { transact, updateIf } from '../store/writes.ts';
import { type FactOutcome, inventoryIsUnchanged, outcomeWithoutGateway, readInventory } from './inventory.ts';

/**
 * A kind of items with reported energy. An item has a map of the parts of its period: the days of a month, or the hours of a
 * day. In the gateway's partition these items sort after circuits and time programs, so that a query for a home reads none.
 */
export type EnergyKind<Parts extends string = string, Part = unknown> = {
  /** Before the period in the sort key. */
  readonly prefix: string;
  /** The attribute that has the map. */
  readonly parts: Parts;
  /** The path from a part to the time of its report, in expressions of DynamoDB. */
  readonly atMsPath: string;
  readonly atMsOf: (part: Part) => number;
};

/** An item of a kind. */
export type EnergyItem<Parts extends string, Part> = AnyEnergyItem & {
  readonly [Name in Parts]: Readonly<Record<string, Part>>;
};

/** What the items of all kinds have. */
export type AnyEnergyItem = {
  readonly gatewayId: string;
  readonly sk: string;
  /** When this service received the last report that changed the item. */
  readonly receivedAtMs: number;
  /** The last removal of the gateway that was applied to the item: reports up to this time do not count. */
  readonly removedAtMs: number;
  /** When no part of the item is kept any longer, in epoch seconds. */
  readonly removeAt: number;
};

/** What the gateway backend reports for each purpose; quantities that are not measured may be absent. */
export type ReportedEnergy = { readonly [Purpose in 'heating' | 'dhw']?: Reported<EnergyUse> | undefined } & {
  readonly cooling?: Reported<CoolingUse> | undefined;
};

export type Reported<Use> = { readonly [Name in keyof Use]?: number | null | undefined };

/** Rounds to the watt-hour: no meter is more precise, and the store accepts only numbers of limited length. */
export const toWattHours = (kwh: number): number => Math.round(kwh * 1000) / 1000;

/**
 * Stores a report if it is newer than what is stored of its part. `item` has only the reported part, and becomes the item of
 * its period if the period has no item.
 */
export const reportPart = <Parts extends string, Part>(
  store: Store,
  kind: EnergyKind<Parts, Part>,
  item: EnergyItem<Parts, Part>,
): Promise<FactOutcome> => {
  const [[name, part]] = Object.entries(item[kind.parts]) as [[string, Part]];
  const atMs = kind.atMsOf(part);
  // An attempt fails if the item was created or deleted concurrently.
  return retrying({ to: 'take over reported energy', atMost: 10 }, async () => {
    const stored = `${kind.parts}.#part`;
    const { isApplied, item: known } = await updateIf(store, 'Appliances', {
      Key: keyOf(item),
      UpdateExpression: `SET ${stored} = :told, receivedAtMs = :receivedAt`,
      ConditionExpression: `removedAtMs < :at AND (attribute_not_exists(${stored}) OR ${stored}${kind.atMsPath} < :at)`,
      ExpressionAttributeNames: { '#part': name },
      ExpressionAttributeValues: { ':told': part, ':at': atMs, ':receivedAt': item.receivedAtMs },
    });
    if (isApplied) return { outcome: 'applied' };
    if (known) return { outcome: 'stale' };
    const creation = await create(store, item, atMs);
    return creation === 'exists' ? undefined : { outcome: creation };
  });
};

const keyOf = ({ gatewayId, sk }: AnyEnergyItem) => ({ gatewayId, sk });

/** Creates the item if the gateway exists at the time of the report; returns `exists` if another write was faster. */
const create = async (store: Store, item: AnyEnergyItem, atMs: number) => {
  const { gatewayId } = item;
  const inventory = await readInventory(store, gatewayId);
  if (!inventory || isRemoved(inventory)) return outcomeWithoutGateway(inventory, atMs);
  const { removedAtMs } = inventory;
  if (atMs <= removedAtMs) return 'stale';
  const failed = await transact(store, {
    inventory: inventoryIsUnchanged(store, gatewayId, inventory),
    item: {
      Put: {
        TableName: store.tableName('Appliances'),
        Item: { ...item, removedAtMs },
        ConditionExpression: 'attribute_not_exists(sk)',
      },
    },
  });
  return failed ? 'exists' : 'applied';
};

/** The period before the first one, and the number of periods. */
type Periods = { readonly after: string; readonly count: number };

/**
 * Returns the items of a kind, in the order of their periods, strongly consistent: all that are stored, or those of
 * consecutive periods. If periods are missing, items of later periods are returned as well.
 */
export const readEnergyItems = async <Parts extends string, Part>(
  store: Store,
  { prefix }: EnergyKind<Parts, Part>,
  gatewayId: string,
  periods?: Periods,
): Promise<EnergyItem<Parts, Part>[]> => {
  const page = periods && { limit: periods.count, after: { gatewayId, sk: `${prefix}${periods.after}` } };
  const { items } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix }, page);
  return items as object[] as EnergyItem<Parts, Part>[];
};

/** Deletes the energy that was reported for a gateway up to its removal; later reports stay. */
export const removePartsUntil = async <Parts extends string, Part>(
  store: Store,
  kind: EnergyKind<Parts, Part>,
  gatewayId: string,
  atMs: number,
): Promise<void> => {
  for (const item of await readEnergyItems(store, kind, gatewayId)) await removePartsOf(store, kind, item, atMs);
};

const removePartsOf = <Parts extends string, Part>(
  store: Store,
  kind: EnergyKind<Parts, Part>,
  found: EnergyItem<Parts, Part>,
  atMs: number,
): Promise<void> =>
  // An attempt fails if a report or another removal changed the item concurrently.
  retryingFrom(found, { to: 'remove the energy of a gateway', atMost: 10 }, async (item) => {
    const { removedAtMs } = item;
    // A removal of that time or later was already applied, and the item accepts no report from before it.
    if (removedAtMs >= atMs) return undefined;
    const parts: Readonly<Record<string, Part>> = item[kind.parts];
    const left = Object.fromEntries(Object.entries(parts).filter(([, part]) => kind.atMsOf(part) > atMs));
    const table = { TableName: store.tableName('Appliances'), Key: keyOf(item) };
    const asSeen = `${kind.parts} = :seen`;
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
                UpdateExpression: `SET ${kind.parts} = :left, removedAtMs = :at`,
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
    return failed?.old ? again(failed.old as object as EnergyItem<Parts, Part>) : undefined;
  });
