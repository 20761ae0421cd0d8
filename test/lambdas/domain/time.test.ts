import { expect, test } from 'vitest';
import { addMonths, toDate, toTimestamp } from '../../../lambdas/domain/time.ts';

test.each([
  ['2026-01-15T10:20:30Z', '2026-07-15T10:20:30Z'],
  ['2026-08-31T00:00:00Z', '2027-02-28T00:00:00Z'],
  ['2027-08-31T23:59:59Z', '2028-02-29T23:59:59Z'],
  ['2027-08-29T12:00:00Z', '2028-02-29T12:00:00Z'],
  ['2026-08-28T12:00:00Z', '2027-02-28T12:00:00Z'],
  ['2028-02-29T12:00:00Z', '2028-08-29T12:00:00Z'],
  ['2026-03-31T12:00:00Z', '2026-09-30T12:00:00Z'],
  ['2026-05-31T12:00:00Z', '2026-11-30T12:00:00Z'],
  ['2026-10-31T12:00:00Z', '2027-04-30T12:00:00Z'],
  ['2026-12-31T12:00:00Z', '2027-06-30T12:00:00Z'],
  ['2026-07-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['2099-08-31T00:00:00Z', '2100-02-28T00:00:00Z'],
])('six calendar months after %s are over at %s, clamped to the end of the month', (start, end) => {
  expect(toTimestamp(addMonths(Date.parse(start), 6))).toBe(end);
});

test('writes times in UTC, with a fraction only if there is one', () => {
  expect(toTimestamp(Date.parse('2026-03-01T00:30:00+01:00'))).toBe('2026-02-28T23:30:00Z');
  expect(toTimestamp(Date.parse('2026-03-01T00:30:00.25Z'))).toBe('2026-03-01T00:30:00.250Z');
  expect(toDate(Date.parse('2026-03-01T00:30:00+01:00'))).toBe('2026-02-28');
});
