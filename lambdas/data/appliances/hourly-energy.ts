import { hourlyEnergyDays } from '../../api/limits.ts';
import type { CoolingUse, EnergyUse } from '../../api/schemas/energy.ts';
import type { FactTimes } from '../../domain/appliance.ts';
import { addDays, type EnergyOfHour, type Hours, oldestHourAt } from '../../domain/energy.ts';
import { toTimestamp } from '../../domain/time.ts';
import type { Store } from '../store/store.ts';
import { type ReportedEnergy, toWattHours, withKnown } from './energy.ts';
import type { FactOutcome } from './inventory.ts';
import { type PartsItem, partsPrefix, readPeriods, reportPart } from './parts-items.ts';

/**
 * One item for each day of a gateway, in UTC, with its hours by their start: `14:30`. An item for each hour would cost four
 * times as much, since each report would create an item (docs/decisions/0140).
 */
export type HoursOfDay = PartsItem<'hours', StoredHour>;

/**
 * The time of the report, then electricity, fuel and heat for heating and for hot water, then, if reported, electricity, fuel
 * and removed heat for cooling; null if not measured. A list, because each report is billed for the whole item: with names, a
 * day takes 2.4 kB, and without names 1 kB.
 */
type StoredHour = readonly [atMs: number, ...kwh: (number | null)[]];

export const hoursPrefix = `${partsPrefix}HOURS#` as const;

/** `2026-11-20T14:30:00Z` is the hour `14:30` of the day `2026-11-20`. */
const dayOf = (start: string): string => start.slice(0, '2026-11-20'.length);
const timeOfDay = (start: string): string => start.slice('2026-11-20T'.length, '2026-11-20T14:30'.length);

/** The key of a day's item. Exported because tests read the item as it is stored. */
export const hoursItemKey = (gatewayId: string, start: string) =>
  ({ gatewayId, sk: `${hoursPrefix}${dayOf(start)}` }) as const;

/** What the gateway backend reports of an hour. */
type HourReport = ReportedEnergy & {
  /** A timestamp in UTC. */
  readonly start: string;
};

/**
 * Stores the report of an hour if it is newer than what is stored of that hour. The first hour of a day creates its item. A
 * report of an hour that is no longer kept is stale.
 */
export const reportHour = async (
  store: Store,
  gatewayId: string,
  given: HourReport,
  times: FactTimes,
): Promise<FactOutcome> =>
  Date.parse(given.start) < oldestHourAt(times.atMs)
    ? { outcome: 'stale' }
    : reportPart(
        store,
        hoursOfDay(gatewayId, [given], times),
        given.unread && ((stored) => toStoredHour({ ...given, ...withKnown(given, usesIn(stored)) }, times)),
      );

/** Returns the item of a day whose hours were all reported at the same time. */
export const hoursOfDay = (gatewayId: string, told: readonly HourReport[], times: FactTimes): HoursOfDay => {
  const { start = '' } = told[0] ?? {};
  return {
    ...hoursItemKey(gatewayId, start),
    hours: Object.fromEntries(told.map((each) => [timeOfDay(each.start), toStoredHour(each, times)])),
    receivedAtMs: times.receivedAtMs,
    removedAtMs: 0,
    // When the last hour of the day is no longer shown.
    removeAt: Date.parse(addDays(dayOf(start), 1 + hourlyEnergyDays)) / 1000,
  };
};

const uses = ['electricityKwh', 'fuelKwh', 'heatKwh'] as const;
const coolingUses = ['electricityKwh', 'fuelKwh', 'removedHeatKwh'] as const;

const toStoredHour = ({ heating = {}, dhw = {}, cooling }: HourReport, { atMs }: FactTimes): StoredHour => [
  atMs,
  ...[heating, dhw].flatMap((use) => uses.map((name) => stored(use[name]))),
  ...(cooling ? coolingUses.map((name) => stored(cooling[name])) : []),
];

const stored = (kwh: number | null | undefined): number | null => (typeof kwh === 'number' ? toWattHours(kwh) : null);

/** Returns the hours of an item, in their order. */
export const hoursIn = ({ sk, hours }: Pick<HoursOfDay, 'sk' | 'hours'>): EnergyOfHour[] =>
  Object.entries(hours)
    .map(([time, hour]) => {
      const { cooling = null, ...uses } = usesIn(hour);
      const startMs = Date.parse(`${sk.slice(hoursPrefix.length)}T${time}Z`);
      return { startMs, ...uses, cooling, reportedAtMs: hour[0] };
    })
    .toSorted((one, other) => one.startMs - other.startMs);

const usesIn = ([, ...kwh]: StoredHour) => ({
  heating: named(uses, kwh.slice(0, 3)) as EnergyUse,
  dhw: named(uses, kwh.slice(3, 6)) as EnergyUse,
  cooling: kwh.length > 6 ? (named(coolingUses, kwh.slice(6)) as CoolingUse) : undefined,
});

const named = (names: readonly string[], kwh: readonly (number | null)[]) =>
  Object.fromEntries(names.map((name, index) => [name, kwh[index] ?? null]));

/** Returns the reported hours of a period, in their order, strongly consistent. */
export const readHours = async (store: Store, gatewayId: string, { fromMs, toMs }: Hours): Promise<EnergyOfHour[]> => {
  if (fromMs >= toMs) return [];
  const keyAt = (ms: number) => hoursItemKey(gatewayId, toTimestamp(ms));
  const days = await readPeriods<HoursOfDay>(store, keyAt(fromMs), keyAt(toMs - 1));
  return days.flatMap(hoursIn).filter(({ startMs }) => fromMs <= startMs && startMs < toMs);
};
