import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMetricStore, metricDataOf } from '../../src/cloudwatch/metric-store.ts';
import { minuteMs, minutes, startMs } from './cloudwatch-of.ts';

const latency = { namespace: 'N', name: 'Latency', dimensions: {} };

describe('a statistic covers the samples of its metric and time range', () => {
  const store = createMetricStore();
  // Out of order, as events of several functions arrive.
  for (const [atMs, value] of [
    [minutes(2), 100],
    [minutes(0), 3],
    [minutes(1) - 1, 1],
    [minutes(1), 8],
  ] as const)
    store.put({ ...latency, atMs, value });

  test.each([
    ['Sum', 12],
    ['SampleCount', 3],
    ['Minimum', 1],
    ['Maximum', 8],
    ['p50', 3],
    ['p66.6', 3],
    ['p99', 8],
    ['p100', 8],
  ])('%s of two minutes', (statistic, expected) => {
    expect(store.statistic(latency, statistic, minutes(0), minutes(2))).toBe(expected);
  });

  test('without samples there is no value', () => {
    expect(store.statistic(latency, 'Sum', minutes(3), minutes(9))).toBeUndefined();
    expect(store.statistic({ ...latency, name: 'Other' }, 'Sum', minutes(0), minutes(9))).toBeUndefined();
  });

  test('the exact dimensions, in any order, identify a metric', () => {
    const withDimensions = { ...latency, dimensions: { a: '1', b: '2' } };
    store.put({ ...withDimensions, atMs: startMs, value: 7 });
    const sum = (dimensions: Record<string, string>) =>
      store.statistic({ ...latency, dimensions }, 'Sum', startMs, minutes(1));
    expect([sum({ b: '2', a: '1' }), sum({ a: '1' }), sum({})]).toEqual([7, undefined, 4]);
  });

  test.each(['Average', 'tm99', 'p101', 'sum'])('the statistic %s is an error', (statistic) => {
    expect(() => store.statistic(latency, statistic, minutes(0), minutes(1))).toThrow(statistic);
  });
});

test('a percentile is the smallest sample that at least this share does not exceed', async () => {
  const samples = fc.array(fc.integer({ min: 0, max: 19 }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.property(samples, fc.integer({ min: 1, max: 100 }), (values, percent) => {
      const store = createMetricStore();
      for (const [index, value] of values.entries()) store.put({ ...latency, atMs: startMs + index, value });
      const isEnough = (value: number) =>
        values.filter((each) => each <= value).length >= (percent / 100) * values.length;
      const expected = Math.min(...values.filter(isEnough));
      expect(store.statistic(latency, `p${percent}`, startMs, startMs + minuteMs)).toBe(expected);
    }),
    { numRuns: 200 },
  );
});

describe('an event in embedded metric format counts as its metrics', () => {
  const event = (directive: object, fields: object) => ({
    _aws: { Timestamp: 1, CloudWatchMetrics: [directive] },
    ...fields,
  });
  const sample = (name: string, value: number, dimensions = {}) => ({
    namespace: 'N',
    name,
    dimensions,
    atMs: 5,
    value,
  });

  test('once for each set of dimensions, including the empty one, and for each value', () => {
    const directive = {
      Namespace: 'N',
      Dimensions: [[], ['decision'], ['decision', 'reason']],
      Metrics: [{ Name: 'Requests', Unit: 'Count' }, { Name: 'Ms' }],
    };
    const samples = metricDataOf(event(directive, { decision: 'refused', reason: 'no', Requests: 1, Ms: [2, 3] }), 5);
    expect(samples).toEqual(
      [{}, { decision: 'refused' }, { decision: 'refused', reason: 'no' }].flatMap((dimensions) => [
        sample('Requests', 1, dimensions),
        sample('Ms', 2, dimensions),
        sample('Ms', 3, dimensions),
      ]),
    );
  });

  const directive = { Namespace: 'N', Dimensions: [['d']], Metrics: [{ Name: 'M' }] };
  test.each<[string, object, string]>([
    ['a metric that is missing', event(directive, { d: 'x' }), 'metric M is no number'],
    ['a metric that is a text', event(directive, { d: 'x', M: '1' }), 'metric M is no number'],
    ['a dimension that is missing', event(directive, { M: 1 }), 'dimension d is no text'],
    ['a dimension that is a number', event(directive, { M: 1, d: 4 }), 'dimension d is no text'],
    ['no directives', { _aws: {} }, 'CloudWatchMetrics'],
    ['no namespace', event({ ...directive, Namespace: undefined }, { d: 'x', M: 1 }), 'Namespace'],
    ['dimensions that are no sets', event({ ...directive, Dimensions: ['d'] }, { d: 'x', M: 1 }), 'Dimensions'],
    [
      'a high resolution',
      event({ ...directive, Metrics: [{ Name: 'M', StorageResolution: 1 }] }, {}),
      'StorageResolution',
    ],
  ])('%s is an error', (_, malformed, message) => {
    expect(() => metricDataOf(malformed as never, 5)).toThrow(message);
  });
});
