import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seed } from '../../../../test/support/random.ts';
import { evaluateMath, parseMath } from '../../src/cloudwatch/metric-math/metric-math.ts';
import type { TimeSeries, Value } from '../../src/cloudwatch/metrics/time-series.ts';

const periodMs = 60_000;

/** `[1, undefined, 3]` → a value in the first and the third minute. */
const seriesOf = (values: readonly (number | undefined)[]): TimeSeries =>
  new Map(values.flatMap((value, index) => (value === undefined ? [] : [[index * periodMs, value]])));

const evaluate = (text: string, series: Readonly<Record<string, readonly (number | undefined)[]>>): Value => {
  const length = Math.max(0, ...Object.values(series).map((values) => values.length));
  return evaluateMath(parseMath(text), {
    times: Array.from({ length }, (_, index) => index * periodMs),
    valueOf: (id) => seriesOf(series[id] ?? []),
    metrics: (part = '') =>
      Object.entries(series)
        .filter(([id]) => id.includes(part))
        .map(([, values]) => seriesOf(values)),
    periodMsOf: () => periodMs,
    insightRuleMetric: (rule, metric) => new Map([[0, rule.length + metric.length]]),
  });
};

const _ = undefined;

describe('a value of metric math is what CloudWatch documents', () => {
  const m1 = [30, 20, 0, 0];
  const m2 = [20, _, 20, _];
  test.each<[string, readonly (number | undefined)[]]>([
    ['m1 + 2 * 3', [36, 26, 6, 6]],
    ['(m1 + 2) * 3', [96, 66, 6, 6]],
    ['m1 - 5 - 3', [22, 12, -8, -8]],
    ['-m1 + 1', [-29, -19, 1, 1]],
    ['m1 + m2', [50, _, 20, _]],
    ['m2 / m1', [20 / 30, _, _, _]],
    ['100 / m1', [100 / 30, 5, _, _]],
    // The three examples of the manual: what is missing is 0 where series are compared.
    ['m1 < m2', [0, 0, 1, 0]],
    ['m1 >= 30', [1, 0, 0, 0]],
    ['m1 > 15 AND m2 > 15', [1, 0, 0, 0]],
    ['m1 == 0 || m2 == 20', [1, 0, 1, 1]],
    ['m1 != 0 && m1 <= 20', [0, 1, 0, 0]],
    ['IF(m1 > 10, m1)', [30, 20, _, _]],
    ['IF(m1 > 10, m2, 7)', [20, 0, 7, 7]],
    ['IF(m2, 1, 0)', [1, _, 1, _]],
    ['IF(1 > 2, m1, m2)', [20, _, 20, _]],
    ['SUM([m1, m2])', [50, 20, 20, 0]],
    ['SUM(METRICS())', [50, 20, 20, 0]],
    ['SUM(METRICS("2"))', [20, _, 20, _]],
    ['MIN([m1, m2])', [20, 20, 0, 0]],
    ['MAX([m1, m2])', [30, 20, 20, 0]],
    ['AVG([m1, m2])', [25, 10, 10, 0]],
    ['m1 - MAX(m1)', [0, -10, -30, -30]],
    ['m1 * SUM(m2) / AVG(m1) + MIN(m1)', [96, 64, 0, 0]],
    ['FILL(m2, 0)', [20, 0, 20, 0]],
    ['FILL(m2, REPEAT)', [20, 20, 20, 20]],
    ['FILL(m2, m1)', [20, 20, 20, 0]],
    ['SUM(FILL(METRICS(), 1))', [50, 21, 20, 1]],
    ['CEIL(m1 / 7) + FLOOR(m1 / 7)', [9, 5, 0, 0]],
    ['ABS(m1 - 25)', [5, 5, 25, 25]],
    ['RUNNING_SUM(m1)', [30, 50, 50, 50]],
    ['DIFF(m2)', [_, _, 0, _]],
    ['RATE(m1) * 60', [_, -10, -20, 0]],
    ['m1 / PERIOD(m1)', [0.5, 20 / 60, 0, 0]],
    ['INSIGHT_RULE_METRIC("top", \'Sum\')', [6]],
  ])('%s', (text, expected) => {
    expect(evaluate(text, { m1, m2 })).toEqual(seriesOf(expected));
  });

  test('a condition that is missing gives no point, a missing value 0 where the condition holds', () => {
    const series = { m1: [1, 1, 0, 0, _], m2: [30, _, 0, 0, 30], m3: [0, 0, 20, _, 20] };
    expect(evaluate('IF(m1, m2, m3)', series)).toEqual(seriesOf([30, 0, 20, _, _]));
  });
});

type Sum = { readonly text: string; readonly at: (values: Readonly<Record<string, number>>) => number };

/** Expressions with all parentheses left out that precedence makes needless, and what JavaScript computes of them. */
const sums = fc.letrec<{ sum: Sum; product: Sum; atom: Sum }>((tie) => {
  const operation = (operand: fc.Arbitrary<Sum>, right: fc.Arbitrary<Sum>, signs: readonly string[]) =>
    fc.tuple(operand, fc.constantFrom(...signs), right).map(
      ([a, sign, b]): Sum => ({
        text: `${a.text} ${sign} ${b.text}`,
        at: (values) => operators[sign]?.(a.at(values), b.at(values)) ?? Number.NaN,
      }),
    );
  return {
    sum: fc.oneof({ maxDepth: 4 }, tie('product'), operation(tie('sum'), tie('product'), ['+', '-'])),
    product: fc.oneof({ maxDepth: 4 }, tie('atom'), operation(tie('product'), tie('atom'), ['*', '/'])),
    atom: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('a', 'b').map((id): Sum => ({ text: id, at: (values) => values[id] ?? Number.NaN })),
      fc.nat(9).map((value): Sum => ({ text: String(value), at: () => value })),
      tie('sum').map(({ text, at }): Sum => ({ text: `(${text})`, at })),
      tie('atom').map(({ text, at }): Sum => ({ text: `-${text}`, at: (values) => -at(values) })),
    ),
  };
}).sum;

const operators: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

test('any arithmetic of two series gives at each time what it gives of two numbers', () => {
  fc.assert(
    fc.property(sums, fc.array(fc.tuple(fc.integer(), fc.integer()), { maxLength: 3 }), ({ text, at }, pairs) => {
      const series = { a: pairs.map(([a]) => a), b: pairs.map(([, b]) => b) };
      const expected = pairs.map(([a, b]) => at({ a, b })).map((value) => (Number.isFinite(value) ? value : undefined));
      const value = evaluate(text, series);
      if (typeof value === 'number') expect(value).toBe(at({}));
      else if (!text.includes('/')) expect(value).toEqual(seriesOf(expected));
      // Within an expression, a division by zero leaves no point, though JavaScript may come back from infinity.
      else for (const [atMs, found] of value as TimeSeries) expect(found).toBe(expected[atMs / periodMs]);
    }),
    { seed, numRuns: 300 },
  );
});

describe('what is not known is an error', () => {
  test.each([
    ['SEARCH("{N} m", "Sum")', 'SEARCH'],
    ['ANOMALY_DETECTION_BAND(m1)', 'ANOMALY_DETECTION_BAND'],
    ['FILL(m1)', 'FILL of metric math with 1 parameters'],
    ['FILL(m1, LINEAR)', 'LINEAR'],
    ['m1 ^ 2', '“^ 2”'],
    ['m1 +', 'its end'],
    ['(m1', 'its end'],
    ['SUM([m1, 2])', 'series only'],
    ['MAX(3)', 'takes series'],
    ['"m1" + 1', 'no value for a text'],
  ])('%s', (text, message) => {
    const seriesNamed = (id: string) => {
      if (id === 'm1') return seriesOf([1]);
      throw new Error(`${id} is no metric`);
    };
    const scope = {
      times: [0],
      valueOf: seriesNamed,
      metrics: () => [],
      periodMsOf: () => 1,
      insightRuleMetric: () => new Map(),
    };
    expect(() => evaluateMath(parseMath(text), scope)).toThrow(message);
  });
});
