import { UserFacingError } from '../errors.ts';

const daily = /^cron\((\d{1,2}) (\d{1,2}) \* \* \? \*\)$/;
const everyFewMinutes = /^rate\((?:1 minute|([2-9]|[1-9]\d{1,3}) minutes)\)$/;

const minuteMs = 60_000;

/**
 * Returns a function that computes the next time of a schedule: `cron(0 8 * * ? *)`, a time of every day in UTC, or
 * `rate(1 minute)`, counted from the previous run. Throws for any other schedule.
 */
export const compileSchedule = (expression: string): ((nowMs: number) => number) => {
  const [isRate, minutes = 1] = everyFewMinutes.exec(expression) ?? [];
  if (isRate) return (nowMs) => nowMs + Number(minutes) * minuteMs;
  const [, minute, hour] = daily.exec(expression) ?? [];
  if (minute === undefined || Number(minute) > 59 || Number(hour) > 23)
    throw new UserFacingError(
      `The local run knows schedules like cron(0 8 * * ? *) and rate(1 minute), not ${expression}.`,
    );
  return (nowMs) => {
    const due = new Date(nowMs);
    due.setUTCHours(Number(hour), Number(minute), 0, 0);
    if (due.getTime() <= nowMs) due.setUTCDate(due.getUTCDate() + 1);
    return due.getTime();
  };
};
