import { describe, expect, test } from 'vitest';
import { compileDailySchedule } from '../../../../local/aws/events/daily-schedule.ts';

describe('a schedule', () => {
  test.each([
    ['2036-03-10T07:59:59Z', '2036-03-10T08:30:00Z'],
    ['2036-03-10T08:30:00Z', '2036-03-11T08:30:00Z'],
    ['2036-12-31T23:00:00Z', '2037-01-01T08:30:00Z'],
  ])('after %s is due at %s', (now, due) => {
    expect(compileDailySchedule('cron(30 8 * * ? *)')(Date.parse(now))).toBe(Date.parse(due));
  });

  test.each(['rate(1 day)', 'cron(0 8 ? * MON *)', 'cron(0/5 8 * * ? *)', 'cron(0 24 * * ? *)'])(
    '%s is an error',
    (expression) => {
      expect(() => compileDailySchedule(expression)).toThrow(
        `The local run knows schedules like cron(0 8 * * ? *), not ${expression}.`,
      );
    },
  );
});
