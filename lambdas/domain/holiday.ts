import { maxHolidayDays } from '../api/limits.ts';
import type { HolidayPeriod } from '../api/schemas/holiday.ts';
import { toHundredths } from '../api/schemas/measurement.ts';
import { isSameMinute } from './normal-form.ts';

/** Returns what was expected of a holiday's end if it is invalid; undefined if it is valid. */
export const holidayEndFault = ({ from, to }: HolidayPeriod, nowMs: number): string | undefined => {
  const toMs = Date.parse(to);
  const isRight = toMs > Date.parse(from) && toMs > nowMs && toMs <= nowMs + maxHolidayDays * 86_400_000;
  return isRight
    ? undefined
    : `Expected a time after \`from\` and after now, and at most ${maxHolidayDays} days ahead.`;
};

/**
 * Whether an appliance that reported a holiday at that time has fulfilled the desired one; a holiday that is over needs nothing
 * more. `reported` is undefined if the report could not be read.
 */
export const isHolidayMet = (
  desired: HolidayPeriod | null,
  reported: HolidayPeriod | null | undefined,
  atMs: number,
): boolean => {
  if (desired && isHolidayOver(desired, atMs)) return true;
  if (!desired || !reported) return desired === reported;
  return (
    isSameMinute(desired.from, reported.from) &&
    isSameMinute(desired.to, reported.to) &&
    toHundredths(desired.roomSetpointCelsius) === toHundredths(reported.roomSetpointCelsius)
  );
};

export const isHolidayOver = ({ to }: HolidayPeriod, atMs: number): boolean => Date.parse(to) <= atMs;
