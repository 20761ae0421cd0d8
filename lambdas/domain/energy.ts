import {
  defaultEnergyDays,
  defaultEnergyHours,
  energyDays,
  hourlyEnergyDays,
  maxEnergyDaysAtOnce,
} from '../api/limits.ts';
import type { CoolingUse, EnergyUse } from '../api/schemas/energy.ts';
import { toDate } from './time.ts';

/** The energy that an appliance consumed and delivered in a period, and the time of the report. */
type Energy = {
  readonly heating: EnergyUse;
  readonly dhw: EnergyUse;
  /** Null if the appliance reported none. */
  readonly cooling: CoolingUse | null;
  readonly reportedAtMs: number;
};

export type EnergyOfDay = Energy & {
  /** `2026-11-24`, a day of the appliance's own calendar, whose time zone this service does not know. */
  readonly day: string;
};

/** An hour by the appliance's own clock. It begins a quarter, half or three quarters past an hour of UTC in some time zones. */
export type EnergyOfHour = Energy & { readonly startMs: number };

/** The first and the last day of a period, both included. */
export type Days = { readonly from: string; readonly to: string };

/** The hours that begin in a period, whose end is excluded. */
export type Hours = { readonly fromMs: number; readonly toMs: number };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The largest offset ahead of UTC of any time zone. */
const maxAheadOfUtcMs = 14 * hourMs;

/** Returns the newest day that has begun anywhere at that time; it has not ended anywhere. */
export const newestDayAt = (nowMs: number): string => toDate(nowMs + maxAheadOfUtcMs);

/** Returns the oldest day that is kept and shown at that time. */
export const oldestDayAt = (nowMs: number): string => toDate(nowMs - energyDays * dayMs);

/** Returns the earliest start of an hour that is kept and shown at that time. */
export const oldestHourAt = (nowMs: number): number => nowMs - hourlyEnergyDays * dayMs;

/** Returns the day that is this number of days later, or earlier if it is negative. */
export const addDays = (day: string, days: number): string => toDate(Date.parse(day) + days * dayMs);

type Asked = { readonly from?: string | undefined; readonly to?: string | undefined };

/** Returns the period of a request, which may leave out the first day, the last one, or both. */
export const periodOf = ({ from, to }: Asked, nowMs: number): Days => {
  const newest = newestDayAt(nowMs);
  const [last = newest] = [newest, to ?? (from ? addDays(from, maxEnergyDaysAtOnce - 1) : newest)].toSorted();
  return { from: from ?? addDays(last, 1 - defaultEnergyDays), to: last };
};

/** Returns the hours of a request, which may leave out the start, the end, or both. No hour begins after `nowMs`. */
export const hoursOf = ({ from, to }: Asked, nowMs: number): Hours => {
  const toMs = Math.min(nowMs, to === undefined ? nowMs : Date.parse(to));
  return { fromMs: from === undefined ? toMs - defaultEnergyHours * hourMs : Date.parse(from), toMs };
};

/**
 * Returns the first day that a company may read now that sees a gateway since then: no day that had ended, and one that is kept.
 */
export const availableFrom = (sinceMs: number, nowMs: number): string =>
  [newestDayAt(sinceMs), oldestDayAt(nowMs)].toSorted()[1] as string;

/**
 * Returns the earliest start of an hour that a company may read now that sees a gateway since then. An hour that had begun is not
 * shown, since a part of it may belong to previous residents.
 */
export const hoursAvailableFrom = (sinceMs: number, nowMs: number): number => Math.max(sinceMs, oldestHourAt(nowMs));
