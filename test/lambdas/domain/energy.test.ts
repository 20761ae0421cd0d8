import { describe, expect, test } from 'vitest';
import {
  availableFrom,
  hoursAvailableFrom,
  hoursOf,
  newestDayAt,
  oldestDayAt,
  oldestHourAt,
  periodOf,
} from '../../../lambdas/domain/energy.ts';

const at = (time: string) => Date.parse(time);
const nowMs = at('2036-03-10T12:00:00Z');

test('the newest day is that of the time zone that is furthest ahead', () => {
  expect(newestDayAt(at('2036-03-10T09:59:59.999Z'))).toBe('2036-03-10');
  expect(newestDayAt(at('2036-03-10T10:00:00Z'))).toBe('2036-03-11');
});

describe('a day is available', () => {
  test('from the first day that had not ended anywhere when access began', () => {
    expect(availableFrom(at('2036-03-01T09:59:59.999Z'), nowMs)).toBe('2036-03-01');
    expect(availableFrom(at('2036-03-01T10:00:00Z'), nowMs)).toBe('2036-03-02');
  });

  test('for two years, even if access began earlier', () => {
    expect(oldestDayAt(nowMs)).toBe('2034-03-10');
    expect(availableFrom(at('2033-03-09T12:00:00Z'), nowMs)).toBe('2034-03-10');
    expect(availableFrom(at('2034-03-10T12:00:00Z'), nowMs)).toBe('2034-03-11');
  });
});

test.each([
  [{}, { from: '2036-02-10', to: '2036-03-11' }],
  [{ to: '2035-01-31' }, { from: '2035-01-01', to: '2035-01-31' }],
  [{ to: '2036-12-31' }, { from: '2036-02-10', to: '2036-03-11' }],
  [{ from: '2036-03-01' }, { from: '2036-03-01', to: '2036-03-11' }],
  [{ from: '2034-06-01' }, { from: '2034-06-01', to: '2035-06-01' }],
  [
    { from: '2034-06-01', to: '2034-06-02' },
    { from: '2034-06-01', to: '2034-06-02' },
  ],
])('a request for %j means %j', (asked, period) => {
  expect(periodOf(asked, nowMs)).toEqual(period);
});

describe('an hour is available', () => {
  test('from the beginning of access', () => {
    expect(hoursAvailableFrom(at('2036-03-10T07:30:00.001Z'), nowMs)).toBe(at('2036-03-10T07:30:00.001Z'));
  });

  test('for seven days, even if access began earlier', () => {
    expect(oldestHourAt(nowMs)).toBe(at('2036-03-03T12:00:00Z'));
    expect(hoursAvailableFrom(at('2036-03-03T11:59:59Z'), nowMs)).toBe(at('2036-03-03T12:00:00Z'));
    expect(hoursAvailableFrom(at('2036-03-03T12:00:01Z'), nowMs)).toBe(at('2036-03-03T12:00:01Z'));
  });
});

test.each([
  [{}, ['2036-03-09T12:00:00Z', '2036-03-10T12:00:00Z']],
  [{ to: '2036-03-08T06:00:00Z' }, ['2036-03-07T06:00:00Z', '2036-03-08T06:00:00Z']],
  [{ to: '2036-03-10T12:00:01Z' }, ['2036-03-09T12:00:00Z', '2036-03-10T12:00:00Z']],
  [{ from: '2036-03-01T00:00:00Z' }, ['2036-03-01T00:00:00Z', '2036-03-10T12:00:00Z']],
  [{ from: '2036-03-01T00:00:00Z', to: '2036-03-02T00:00:00Z' }, ['2036-03-01T00:00:00Z', '2036-03-02T00:00:00Z']],
])('a request for the hours %j means the hours from and before %j', (asked, [from = '', to = '']) => {
  expect(hoursOf(asked, nowMs)).toEqual({ fromMs: at(from), toMs: at(to) });
});
