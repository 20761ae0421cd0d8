import { expect, test } from 'vitest';
import { levelAt } from '../../../../local/demo/appliances/time-program-level.ts';

const points = [
  { dayOfWeek: 'monday', time: '22:00', setpoint: 'eco' },
  { dayOfWeek: 'monday', time: '06:00', setpoint: 'comfort' },
  { dayOfWeek: 'thursday', time: '12:00', setpoint: 'off' },
];

test.each([
  ['from the minute of a point', '2036-03-10T06:00:00Z', 'comfort'],
  ['until the minute of the next', '2036-03-10T21:59:59Z', 'comfort'],
  ['which need not stand in order', '2036-03-10T22:00:00Z', 'eco'],
  ['over days without points', '2036-03-12T03:00:00Z', 'eco'],
  ['over the end of the week', '2036-03-16T23:59:00Z', 'off'],
  ['into the day of the first point', '2036-03-10T05:59:00Z', 'off'],
])('a level holds %s', (_, now, expected) => {
  expect(levelAt(points, Date.parse(now))).toBe(expected);
});

test('one point a week holds all week, also in the minutes before it', () => {
  const only = [{ dayOfWeek: 'monday', time: '12:00', setpoint: 'comfort' }];
  for (const now of ['2036-03-10T11:59:00Z', '2036-03-10T12:00:00Z', '2036-03-14T00:00:00Z'])
    expect(levelAt(only, Date.parse(now))).toBe('comfort');
});

test('a program without points asks for nothing', () => {
  expect(levelAt([], Date.parse('2036-03-10T12:00:00Z'))).toBeUndefined();
});
