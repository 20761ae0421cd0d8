import { describe, expect, test } from 'vitest';
import { compileSchedule } from '../../src/background/rules.ts';

describe('a schedule', () => {
  test.each([
    ['2036-03-10T07:59:59Z', '2036-03-10T08:30:00Z'],
    ['2036-03-10T08:30:00Z', '2036-03-11T08:30:00Z'],
    ['2036-12-31T23:00:00Z', '2037-01-01T08:30:00Z'],
  ])('after %s is due at %s', (now, due) => {
    expect(compileSchedule('cron(30 8 * * ? *)')(Date.parse(now))).toBe(Date.parse(due));
  });

  test.each([
    ['rate(1 minute)', 60_000],
    ['rate(5 minutes)', 300_000],
    ['rate(90 minutes)', 5_400_000],
  ])('%s is due so much later each time', (expression, ms) => {
    expect(compileSchedule(expression)(1000)).toBe(1000 + ms);
  });

  test.each([
    'rate(1 day)',
    'rate(1 minutes)',
    'rate(0 minutes)',
    'rate(5 minute)',
    'cron(0 8 ? * MON *)',
    'cron(0/5 8 * * ? *)',
    'cron(0 24 * * ? *)',
  ])('%s is an error', (expression) => {
    expect(() => compileSchedule(expression)).toThrow(
      `The local run knows schedules like cron(0 8 * * ? *) and rate(1 minute), not ${expression}.`,
    );
  });
});
