import { defaultEnergyDays, energyDays, maxEnergyDaysAtOnce } from '../api/limits.ts';
import type { CoolingUse, EnergyUse } from '../api/schemas/energy.ts';
import type { Grant } from './grant.ts';
import { toDate } from './time.ts';

/** The energy that an appliance consumed and delivered on one of its days, and the time of the report. */
export type EnergyOfDay = {
  /** `2026-11-24`, a day of the appliance's own calendar, whose time zone this service does not know. */
  readonly day: string;
  readonly heating: EnergyUse;
  readonly dhw: EnergyUse;
  /** Null if the appliance reported none. */
  readonly cooling: CoolingUse | null;
  readonly reportedAtMs: number;
};

/** The first and the last day of a period, both included. */
export type Days = { readonly from: string; readonly to: string };

const dayMs = 86_400_000;

/** The largest offset ahead of UTC of any time zone. */
const maxAheadOfUtcMs = 14 * 3_600_000;

/** Returns the newest day that has begun anywhere at that time. */
export const newestDayAt = (nowMs: number): string => toDate(nowMs + maxAheadOfUtcMs);

/** Returns the oldest day that is kept and shown at that time. */
export const oldestDayAt = (nowMs: number): string => toDate(nowMs - energyDays * dayMs);

/**
 * Returns the first day that a company with this grant may see. When this service received the grant, that day had not ended
 * anywhere, so the company does not see the days of previous residents.
 */
export const firstDayOf = ({ receivedAtMs }: Grant): string => newestDayAt(receivedAtMs);

/** Returns the day that is this number of days later, or earlier if it is negative. */
export const addDays = (day: string, days: number): string => toDate(Date.parse(day) + days * dayMs);

/** Returns the period of a request, which may leave out the first day, the last one, or both. */
export const periodOf = (
  { from, to }: { readonly [Name in keyof Days]?: Days[Name] | undefined },
  nowMs: number,
): Days => {
  const newest = newestDayAt(nowMs);
  const [last = newest] = [newest, to ?? (from ? addDays(from, maxEnergyDaysAtOnce - 1) : newest)].toSorted();
  return { from: from ?? addDays(last, 1 - defaultEnergyDays), to: last };
};

/** Returns the first day that a company may read now: it is not before the company's grant, and is still kept. */
export const availableFrom = (grant: Grant, nowMs: number): string =>
  [firstDayOf(grant), oldestDayAt(nowMs)].toSorted()[1] as string;
