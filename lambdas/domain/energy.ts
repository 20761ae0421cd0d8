import { defaultEnergyDays, energyDays, maxEnergyDaysAtOnce } from '../api/limits.ts';
import type { EnergyUse } from '../api/schemas/energy.ts';
import type { Grant } from './grant.ts';
import { toDate } from './time.ts';

/** The energy that an appliance consumed and delivered on one of its days, and the time of the report that tells it. */
export type EnergyOfDay = {
  /** `2026-11-24`, a day of the appliance's own calendar, whose time zone this service does not know. */
  readonly day: string;
  readonly heating: EnergyUse;
  readonly dhw: EnergyUse;
  readonly reportedAtMs: number;
};

/** The first and the last day of a period, both included. */
export type Days = { readonly from: string; readonly to: string };

const dayMs = 86_400_000;

/** The most advanced clock of the world is so far ahead of UTC. */
const maxAheadOfUtcMs = 14 * 3_600_000;

/** The newest day that has begun anywhere at that time. */
export const newestDayAt = (nowMs: number): string => toDate(nowMs + maxAheadOfUtcMs);

/** The oldest day that is kept and shown at that time. */
export const oldestDayAt = (nowMs: number): string => toDate(nowMs - energyDays * dayMs);

/**
 * The first day that is shown to a company with that grant: no day was over, anywhere, when this service took the grant in. So
 * the days of whoever lived there before are not shown.
 */
export const firstDayOf = ({ receivedAtMs }: Grant): string => newestDayAt(receivedAtMs);

/** The day so many days later, or earlier. */
export const addDays = (day: string, days: number): string => toDate(Date.parse(day) + days * dayMs);

/** The period that a request means which may leave out its first day, its last one, or both. */
export const periodOf = (
  { from, to }: { readonly [Name in keyof Days]?: Days[Name] | undefined },
  nowMs: number,
): Days => {
  const newest = newestDayAt(nowMs);
  const [last = newest] = [newest, to ?? (from ? addDays(from, maxEnergyDaysAtOnce - 1) : newest)].toSorted();
  return { from: from ?? addDays(last, 1 - defaultEnergyDays), to: last };
};

/** The first day that a company may read now: since its grant, and of those that are kept. */
export const availableFrom = (grant: Grant, nowMs: number): string =>
  [firstDayOf(grant), oldestDayAt(nowMs)].toSorted()[1] as string;
