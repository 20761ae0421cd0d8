import { maxClockAheadMs } from '../api/inbound-events/inbound-event.ts';
import { maxHolidayDays } from '../api/limits.ts';
import type { HolidayPeriod, HolidaySettings } from '../api/schemas/holiday.ts';
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

/**
 * Returns a holiday as a company sees it that was granted the gateway at that time. A holiday that was reported before may say
 * when previous residents were away, so it looks as if the appliance had reported at the grant that there is none, until it is
 * reported again. A report that was received later is of an earlier time if its own time is, by a clock that is up to a minute
 * behind.
 */
export const holidaySince = <Item extends ReportedHoliday>(item: Item, grantedAtMs: number): Item =>
  Math.min(item.receivedAtMs, item.reportedAtMs + maxClockAheadMs) < grantedAtMs
    ? { ...item, reported: { holiday: null }, reportedAtMs: grantedAtMs }
    : item;

type ReportedHoliday = {
  readonly reported: HolidaySettings;
  readonly reportedAtMs: number;
  readonly receivedAtMs: number;
};
