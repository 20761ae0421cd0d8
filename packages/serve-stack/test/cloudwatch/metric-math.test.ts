import { describe, expect, test } from 'vitest';
import { parseMath } from '../../src/cloudwatch/metric-math.ts';

const _ = undefined;

describe('metric math gives the values that CloudWatch documents', () => {
  const series = { m1: [30, 20, 0, 0, _], m2: [20, _, 20, _, _] };
  test.each<[string, readonly (number | undefined)[]]>([
    ['m1 + 2 * 3', [36, 26, 6, 6, _]],
    ['(m1 + 2) * 3', [96, 66, 6, 6, _]],
    ['m1 - 5 - 3', [22, 12, -8, -8, _]],
    ['m1 + m2', [50, _, 20, _, _]],
    ['m2 / m1', [20 / 30, _, _, _, _]],
    ['100 / m1 / 2', [100 / 60, 2.5, _, _, _]],
    // As in the manual: a missing value is 0 in comparisons of series.
    ['m2 > m1', [0, 0, 1, 0, _]],
    ['m1 >= m2', [1, 1, 0, 1, _]],
    ['m1 >= 30', [1, 0, 0, 0, _]],
    ['IF(m1 > 10, m2, 7)', [20, 0, 7, 7, _]],
    ['IF(m2, 1, m1)', [1, _, 1, _, _]],
    ['IF(FILL(m1, 0) > m2, m1, 5)', [30, 20, 5, 5, 5]],
    ['SUM([m1, m2])', [50, 20, 20, 0, _]],
    ['MAX([m1, m2]) / 10', [3, 2, 2, 0, _]],
    ['MAX([m2])', [20, _, 20, _, _]],
    ['FILL(m2, 0)', [20, 0, 20, 0, 0]],
  ])('%s', (text, expected) => {
    const { valueWith } = parseMath(text);
    const values = expected.map((_, time) => valueWith((id) => series[id as 'm1'][time]));
    expect(values).toEqual(expected);
  });

  test('an expression refers to the metrics that it names', () => {
    expect(parseMath('IF(FILL(a, 0) > b, a, c)').ids).toEqual(['a', 'b', 'a', 'c']);
  });
});

test.each([
  ['SEARCH("{N} m", "Sum")', 'SEARCH'],
  ['ABS(m1)', 'ABS with 1 parameters in metric math: ABS(m1)'],
  ['SUM(m1)', 'SUM with 1 parameters in metric math: SUM(m1)'],
  ['SUM(METRICS())', 'SUM'],
  ['FILL(m1)', 'FILL with 1 parameters'],
  ['FILL(m1, REPEAT, 1)', 'FILL with 3 parameters'],
  ['IF(m1, 1)', 'IF with 2 parameters'],
  ['m1 AND m2', 'AND with 2 parameters'],
  ['m1 ^ 2', '“^ 2”'],
  ['m1 < 2', '“< 2”'],
  ['-m1', '“-m1”'],
  ['m1 +', 'its end'],
  ['(m1', 'its end'],
  ['[m1, m2]', 'a list here in metric math: [m1, m2]'],
  ['"m1" + 1', 'a text here in metric math'],
  ['1 + 2', 'no metric'],
])('%s is an error that names the unknown part', (text, message) => {
  expect(() => parseMath(text)).toThrow(message);
});
