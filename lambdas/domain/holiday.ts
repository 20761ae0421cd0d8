import { maxHolidayDays } from '../api/limits.ts';
import type { HolidayPeriod } from '../api/schemas/holiday.ts';
import { toHundredths } from '../api/schemas/measurement.ts';
import { isSameMinute } from './normal-form.ts';

/** Why a holiday cannot end when it is to, as what was expected instead; undefined if it can. */
export const holidayEndFault = ({ from, to }: HolidayPeriod, nowMs: number): string | undefined => {
  const toMs = Date.parse(to);
  const isRight = toMs > Date.parse(from) && toMs > nowMs && toMs <= nowMs + maxHolidayDays * 86_400_000;
  return isRight
    ? undefined
    : `Expected a time after \`from\` and after now, and at most ${maxHolidayDays} days ahead.`;
};

/**
 * Whether an appliance that reported a holiday at that time has done what is desired; one that is over needs nothing more. What it
 * has is undefined if its report could not be read.
 */
export const isHolidayMet = (
  desired: HolidayPeriod | null,
  reported: HolidayPeriod | null | undefined,
  atMs: number,
): boolean => {
  if (desired && Date.parse(desired.to) <= atMs) return true;
  if (!desired || !reported) return desired === reported;
  return (
    isSameMinute(desired.from, reported.from) &&
    isSameMinute(desired.to, reported.to) &&
    toHundredths(desired.roomSetpointCelsius) === toHundredths(reported.roomSetpointCelsius)
  );
};
