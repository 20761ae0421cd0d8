import { energyDays } from '../../api/limits.ts';
import type { CoolingUse, EnergyUse } from '../../api/schemas/energy.ts';
import type { FactTimes } from '../../domain/appliance.ts';
import { type Days, type EnergyOfDay, oldestDayAt } from '../../domain/energy.ts';
import { addMonths } from '../../domain/time.ts';
import type { Store } from '../store/store.ts';
import type { FactOutcome } from './inventory.ts';
import { type PartsItem, partsPrefix, readPeriods, reportPart } from './parts-items.ts';

/**
 * One item for each month of a gateway, with its days by the day of the month: `07`. With an item for each day, a query for a
 * year would read 366 items, not 13.
 */
export type EnergyOfMonth = PartsItem<'days', StoredDay>;

/** A quantity that is not measured has no attribute. */
type StoredDay = { readonly [Purpose in 'heating' | 'dhw']: Partial<EnergyUse> } & {
  /** Absent if none was reported. */
  readonly cooling?: Partial<CoolingUse>;
  readonly atMs: number;
};

export const energyPrefix = `${partsPrefix}ENERGY#` as const;

const monthOf = (day: string): string => day.slice(0, 7);
const dayOfMonth = (day: string): string => day.slice(8);

/** The key of a month's item. Exported because tests read the item as it is stored. */
export const energyItemKey = (gatewayId: string, day: string) =>
  ({ gatewayId, sk: `${energyPrefix}${monthOf(day)}` }) as const;

/** What the gateway backend reports for each purpose; quantities that are not measured may be absent. */
export type ReportedEnergy = { readonly [Purpose in 'heating' | 'dhw']?: Reported<EnergyUse> | undefined } & {
  readonly cooling?: Reported<CoolingUse> | undefined;
  /** Pointers to what cannot be read: a purpose, or a quantity of it. */
  readonly unread?: readonly string[];
};

export type Reported<Use> = { readonly [Name in keyof Use]?: number | null | undefined };

/** Rounds to the watt-hour: no meter is more precise, and the store accepts only numbers of limited length. */
export const toWattHours = (kwh: number): number => Math.round(kwh * 1000) / 1000;

/** What the gateway backend reports of a day. */
type EnergyReport = ReportedEnergy & { readonly day: string };

/**
 * Stores the report of a day if it is newer than what is stored of that day. The first day of a month creates its item. A
 * report of a day that is no longer kept is stale.
 */
export const reportEnergy = async (
  store: Store,
  gatewayId: string,
  given: EnergyReport,
  times: FactTimes,
): Promise<FactOutcome> =>
  given.day < oldestDayAt(times.atMs)
    ? { outcome: 'stale' }
    : reportPart(
        store,
        energyOfMonth(gatewayId, [given], times),
        given.unread && ((stored) => toStoredDay({ ...given, ...withKnown(given, stored) }, times)),
      );

/** Returns what is reported, and where that cannot be read what is known: nobody measures a past day or hour again. */
export const withKnown = ({ unread = [], ...reported }: ReportedEnergy, known: ReportedEnergy): ReportedEnergy => {
  const kept = (pointer: string, one: object | undefined, other: object | undefined) =>
    unread.includes(pointer) ? other : one && { ...one, ...keptOf(pointer, other) };
  const keptOf = (pointer: string, use: object = {}) =>
    Object.fromEntries(Object.entries(use).filter(([name]) => unread.includes(`${pointer}/${name}`)));
  const [heating, dhw, cooling] = (['heating', 'dhw', 'cooling'] as const).map((purpose) =>
    kept(`/${purpose}`, reported[purpose], known[purpose]),
  );
  return { heating, dhw, cooling };
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

const measuredOf = <Use>(use: Reported<Use> = {}): Partial<Use> =>
  Object.fromEntries(
    Object.entries<number | null | undefined>(use).flatMap(([name, kwh]) =>
      typeof kwh === 'number' ? [[name, toWattHours(kwh)]] : [],
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
  if (from > to) return [];
  const [first, last] = [energyItemKey(gatewayId, from), energyItemKey(gatewayId, to)];
  const months = await readPeriods<EnergyOfMonth>(store, first, last);
  return months.flatMap(daysOf).filter(({ day }) => from <= day && day <= to);
};
