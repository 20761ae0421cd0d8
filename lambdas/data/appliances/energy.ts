import { energyDays } from '../../api/limits.ts';
import type { CoolingUse, EnergyUse } from '../../api/schemas/energy.ts';
import type { FactTimes } from '../../domain/appliance.ts';
import { addDays, type Days, type EnergyOfDay, oldestDayAt } from '../../domain/energy.ts';
import { isRemoved } from '../../domain/gateway.ts';
import { addMonths } from '../../domain/time.ts';
import { again, retrying, retryingFrom } from '../store/attempts.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { transact, updateIf } from '../store/writes.ts';
import { type FactOutcome, inventoryIsUnchanged, outcomeWithoutGateway, readInventory } from './inventory.ts';

/**
 * One item for each month of a gateway, which has a map of its days. In the gateway's partition it sorts after circuits and
 * time programs, so that a query for a home reads none of it. With an item for each day, a query for a year would read 366
 * items, not 13.
 */
export type EnergyOfMonth = {
  readonly gatewayId: string;
  readonly sk: string;
  /** By the day of the month: `07`. */
  readonly days: Readonly<Record<string, StoredDay>>;
  /** When this service received the last report that changed the item. */
  readonly receivedAtMs: number;
  /** The last removal of the gateway that was applied to the item: reports up to this time do not count. */
  readonly removedAtMs: number;
  /** When no day of the month is kept any longer, in epoch seconds. */
  readonly removeAt: number;
};

/** A quantity that is not measured has no attribute. */
type StoredDay = { readonly [Purpose in 'heating' | 'dhw']: Partial<EnergyUse> } & {
  /** Absent if none was reported. */
  readonly cooling?: Partial<CoolingUse>;
  readonly atMs: number;
};

export const energyPrefix = 'REPORTED_ENERGY#';

const monthOf = (day: string): string => day.slice(0, 7);
const dayOfMonth = (day: string): string => day.slice(8);

export const energyItemKey = (gatewayId: string, day: string) => ({ gatewayId, sk: `${energyPrefix}${monthOf(day)}` });

/** What the gateway backend reports of a day; quantities that are not measured may be absent. */
export type EnergyReport = { readonly day: string } & {
  readonly [Purpose in 'heating' | 'dhw']?: Reported<EnergyUse> | undefined;
} & { readonly cooling?: Reported<CoolingUse> | undefined };

type Reported<Use> = { readonly [Name in keyof Use]?: number | null | undefined };

/**
 * Stores the report of a day if it is newer than what is stored of that day. The first day of a month creates its item. A
 * report of a day that is no longer kept is stale.
 */
export const reportEnergy = async (
  store: Store,
  gatewayId: string,
  given: EnergyReport,
  times: FactTimes,
): Promise<FactOutcome> => {
  const { day } = given;
  if (day < oldestDayAt(times.atMs)) return { outcome: 'stale' };
  // An attempt fails if the item was created or deleted concurrently.
  return retrying({ to: 'take over the energy of a day', atMost: 10 }, async () => {
    const { isApplied, item } = await updateIf(store, 'Appliances', {
      Key: energyItemKey(gatewayId, day),
      UpdateExpression: 'SET days.#day = :told, receivedAtMs = :receivedAt',
      ConditionExpression: 'removedAtMs < :at AND (attribute_not_exists(days.#day) OR days.#day.atMs < :at)',
      ExpressionAttributeNames: { '#day': dayOfMonth(day) },
      ExpressionAttributeValues: {
        ':told': toStoredDay(given, times),
        ':at': times.atMs,
        ':receivedAt': times.receivedAtMs,
      },
    });
    if (isApplied) return { outcome: 'applied' };
    if (item) return { outcome: 'stale' };
    const creation = await create(store, gatewayId, given, times);
    return creation === 'exists' ? undefined : { outcome: creation };
  });
};

/**
 * Creates the item of the month if the gateway exists at the time of the report; returns `exists` if another write was faster.
 */
const create = async (store: Store, gatewayId: string, given: EnergyReport, times: FactTimes) => {
  const inventory = await readInventory(store, gatewayId);
  if (!inventory || isRemoved(inventory)) return outcomeWithoutGateway(inventory, times.atMs);
  const { removedAtMs } = inventory;
  if (times.atMs <= removedAtMs) return 'stale';
  const failed = await transact(store, {
    inventory: inventoryIsUnchanged(store, gatewayId, inventory),
    month: {
      Put: {
        TableName: store.tableName('Appliances'),
        Item: { ...energyOfMonth(gatewayId, [given], times), removedAtMs },
        ConditionExpression: 'attribute_not_exists(sk)',
      },
    },
  });
  return failed ? 'exists' : 'applied';
};

/** Returns the item of a month whose days were all reported at the same time. */
export const energyOfMonth = (gatewayId: string, told: readonly EnergyReport[], times: FactTimes): EnergyOfMonth => {
  const { day = '' } = told[0] ?? {};
  return {
    ...energyItemKey(gatewayId, day),
    days: Object.fromEntries(told.map((each) => [dayOfMonth(each.day), toStoredDay(each, times)])),
    receivedAtMs: times.receivedAtMs,
    removedAtMs: 0,
    removeAt: removedFrom(monthOf(day)),
  };
};

/** When the last day of the month is no longer shown, in epoch seconds. */
const removedFrom = (month: string): number => (addMonths(Date.parse(`${month}-01`), 1) + energyDays * dayMs) / 1000;

const dayMs = 86_400_000;

const toStoredDay = ({ heating, dhw, cooling }: EnergyReport, { atMs }: FactTimes): StoredDay => ({
  heating: measuredOf<EnergyUse>(heating),
  dhw: measuredOf<EnergyUse>(dhw),
  ...(cooling && { cooling: measuredOf<CoolingUse>(cooling) }),
  atMs,
});

/** Rounds to the watt-hour: no meter is more precise, and the store accepts only numbers of limited length. */
const measuredOf = <Use>(use: Reported<Use> = {}): Partial<Use> =>
  Object.fromEntries(
    Object.entries<number | null | undefined>(use).flatMap(([name, kwh]) =>
      typeof kwh === 'number' ? [[name, Math.round(kwh * 1000) / 1000]] : [],
    ),
  ) as Partial<Use>;

/** Returns the days of an item, in their order. */
export const daysOf = ({ sk, days }: Pick<EnergyOfMonth, 'sk' | 'days'>): EnergyOfDay[] =>
  Object.entries(days)
    .map(([dayOfMonth, { heating, dhw, cooling, atMs }]) => ({
      day: `${sk.slice(energyPrefix.length)}-${dayOfMonth}`,
      heating: { ...notMeasured, ...heating },
      dhw: { ...notMeasured, ...dhw },
      cooling: cooling ? { ...noCoolingMeasured, ...cooling } : null,
      reportedAtMs: atMs,
    }))
    .toSorted((one, other) => (one.day < other.day ? -1 : 1));

const notMeasured: EnergyUse = { electricityKwh: null, fuelKwh: null, heatKwh: null };
const noCoolingMeasured: CoolingUse = { electricityKwh: null, fuelKwh: null, removedHeatKwh: null };

/** Returns the reported days of a period, in their order, strongly consistent. */
export const readEnergy = async (store: Store, gatewayId: string, { from, to }: Days): Promise<EnergyOfDay[]> => {
  const months = monthsIn({ from, to });
  if (months === 0) return [];
  // Starts after the month before the period, and reads an item for each month of the period at most. If months are missing,
  // it reads items from after the period as well.
  const page = { limit: months, after: energyItemKey(gatewayId, addDays(`${monthOf(from)}-01`, -1)) };
  const { items } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix: energyPrefix }, page);
  return (items as object[] as EnergyOfMonth[]).flatMap(daysOf).filter(({ day }) => from <= day && day <= to);
};

/** How many months a period touches. */
const monthsIn = ({ from, to }: Days): number => {
  const [first, last] = [from, to].map((day) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))) as [
    number,
    number,
  ];
  return from <= to ? last - first + 1 : 0;
};

/** Returns all energy that is stored of a gateway, in the order of the months. */
export const readMonths = async (store: Store, gatewayId: string): Promise<EnergyOfMonth[]> => {
  const { items } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix: energyPrefix });
  return items as object[] as EnergyOfMonth[];
};

/** Deletes the energy that was reported for a gateway up to its removal; later reports stay. */
export const removeEnergyUntil = async (store: Store, gatewayId: string, atMs: number): Promise<void> => {
  for (const month of await readMonths(store, gatewayId)) await removeDaysUntil(store, month, atMs);
};

const removeDaysUntil = (store: Store, found: EnergyOfMonth, atMs: number): Promise<void> =>
  // An attempt fails if a report or another removal changed the item concurrently.
  retryingFrom(found, { to: 'remove the energy of a gateway', atMost: 10 }, async (month) => {
    const { gatewayId, sk, days, removedAtMs } = month;
    // A removal of that time or later was already applied, and the item accepts no report from before it.
    if (removedAtMs >= atMs) return undefined;
    const left = Object.fromEntries(Object.entries(days).filter(([, told]) => told.atMs > atMs));
    const table = { TableName: store.tableName('Appliances'), Key: { gatewayId, sk } };
    const failed = await transact(store, {
      month:
        Object.keys(left).length === 0
          ? {
              Delete: {
                ...table,
                ConditionExpression: 'days = :seen',
                ExpressionAttributeValues: { ':seen': days },
                ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
              },
            }
          : {
              Update: {
                ...table,
                UpdateExpression: 'SET days = :left, removedAtMs = :at',
                ConditionExpression: 'days = :seen AND removedAtMs = :seenRemovedAt',
                ExpressionAttributeValues: {
                  ':left': left,
                  ':at': atMs,
                  ':seen': days,
                  ':seenRemovedAt': removedAtMs,
                },
                ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
              },
            },
    });
    return failed?.old ? again(failed.old as object as EnergyOfMonth) : undefined;
  });
