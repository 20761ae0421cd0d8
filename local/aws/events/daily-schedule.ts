import { UserFacingError } from '../errors/user-facing-error.ts';

const daily = /^cron\((\d{1,2}) (\d{1,2}) \* \* \? \*\)$/;

/** Compiles `cron(0 8 * * ? *)`, a time of every day in UTC, to the next such time; no other schedule is known. */
export const compileDailySchedule = (expression: string): ((nowMs: number) => number) => {
  const [, minute, hour] = daily.exec(expression) ?? [];
  if (minute === undefined || Number(minute) > 59 || Number(hour) > 23)
    throw new UserFacingError(`The local run knows schedules like cron(0 8 * * ? *), not ${expression}.`);
  return (nowMs) => {
    const due = new Date(nowMs);
    due.setUTCHours(Number(hour), Number(minute), 0, 0);
    if (due.getTime() <= nowMs) due.setUTCDate(due.getUTCDate() + 1);
    return due.getTime();
  };
};
