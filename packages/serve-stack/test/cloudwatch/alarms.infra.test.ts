import { Duration, type Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  CfnAlarm,
  ComparisonOperator,
  CompositeAlarm,
  type CreateAlarmOptions,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { describe, expect, test } from 'vitest';
import { parseRule } from '../../src/cloudwatch/alarm-rule.ts';
import { stateOf } from '../../src/cloudwatch/metric-alarm.ts';
import { cloudWatchOf, first, hour, minutes } from './cloudwatch-of.ts';

describe('an alarm treats missing data as configured', () => {
  const isBreaching = { X: true, 0: false, '-': undefined };
  // The examples of CloudWatch's manual that depend only on the evaluated periods: “X” is breaching, “0” is not, “-” is
  // missing.
  test.each([
    ['0 X X', 'OK', 'OK', 'OK'],
    ['X X X', 'ALARM', 'ALARM', 'ALARM'],
    ['- - -', 'INSUFFICIENT_DATA', 'ALARM', 'OK'],
    ['- - 0', 'OK', 'OK', 'OK'],
    ['- - X', 'INSUFFICIENT_DATA', 'ALARM', 'OK'],
    ['X - -', 'ALARM', 'ALARM', 'OK'],
  ])('%s', (points, ...expected) => {
    const periods = points.split(' ').map((point) => isBreaching[point as 'X']);
    const treatments = ['missing', 'breaching', 'notBreaching'] as const;
    expect(treatments.map((each) => stateOf(periods, each))).toEqual(expected);
  });
});

const requests = (decision: string, period = Duration.minutes(1)) =>
  new Metric({ namespace: 'N', metricName: 'Requests', dimensionsMap: { decision }, statistic: 'Sum', period });

const requestsAt = (atMs: number, decision: string, value: number) => ({
  namespace: 'N',
  name: 'Requests',
  dimensions: { decision },
  atMs,
  value,
});

const alarmOn = (
  stack: Stack,
  id: string,
  metric: Metric | MathExpression,
  options: Partial<CreateAlarmOptions> = {},
) => new Alarm(stack, id, { metric, threshold: 1, evaluationPeriods: 1, ...options });

describe('a metric alarm is evaluated once a minute over the periods that end there', () => {
  test('an alarm is in ALARM for each minute above the threshold, and OK afterwards', () => {
    const cloudWatch = cloudWatchOf((stack) => {
      alarmOn(stack, 'Failures', requests('failed'), {
        alarmName: 'failures',
        alarmDescription: 'See the runbook.',
        threshold: 10,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 2,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
    });
    for (const [minute, value] of [
      [10, 11],
      [20, 11],
      [21, 12],
    ] as const)
      cloudWatch.putMetric(requestsAt(minutes(minute) + 30_000, 'failed', value));
    const alarm = first(cloudWatch.alarms(hour));
    expect(alarm).toMatchObject({ name: 'failures', kind: 'metric', description: 'See the runbook.', state: 'OK' });
    expect(alarm.transitions).toEqual([
      { atMs: minutes(0), state: 'OK', reason: '0 of the last 2 values > 10: missing, missing' },
      { atMs: minutes(22), state: 'ALARM', reason: '2 of the last 2 values > 10: 11, 12' },
      { atMs: minutes(23), state: 'OK', reason: '1 of the last 2 values > 10: 12, missing' },
    ]);
    expect(first(cloudWatch.alarms({ fromMs: minutes(0), toMs: minutes(22) }))).toMatchObject({
      state: 'ALARM',
      lastValue: 12,
    });
  });

  test.each([
    [ComparisonOperator.GREATER_THAN_THRESHOLD, 5, 'OK'],
    [ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD, 5, 'ALARM'],
    [ComparisonOperator.LESS_THAN_THRESHOLD, 5, 'OK'],
    [ComparisonOperator.GREATER_THAN_THRESHOLD, 4, 'ALARM'],
    [ComparisonOperator.LESS_THAN_THRESHOLD, 6, 'ALARM'],
  ])('5 is compared by %s with %i: %s', (comparisonOperator, threshold, state) => {
    const cloudWatch = cloudWatchOf((stack) =>
      alarmOn(stack, 'A', requests('failed'), { comparisonOperator, threshold }),
    );
    cloudWatch.putMetric(requestsAt(minutes(0), 'failed', 5));
    expect(first(cloudWatch.alarms({ fromMs: minutes(1), toMs: minutes(1) })).state).toBe(state);
  });

  test('a percentile alarm depends only on the slowest values', () => {
    const cloudWatch = cloudWatchOf((stack) => {
      for (const statistic of ['p50', 'p99']) {
        const latency = new Metric({ namespace: 'N', metricName: 'Ms', period: Duration.minutes(5), statistic });
        const usingMetrics = { latency, count: latency.with({ statistic: 'SampleCount' }) };
        const metric = new MathExpression({ expression: 'IF(count >= 50, latency, 0)', usingMetrics });
        alarmOn(stack, statistic, metric, { threshold: 100 });
      }
    });
    for (let index = 0; index < 50; index++) {
      const value = index === 7 ? 900 : 9;
      cloudWatch.putMetric({ namespace: 'N', name: 'Ms', dimensions: {}, atMs: minutes(0), value });
    }
    const states = cloudWatch.alarms({ fromMs: minutes(0), toMs: minutes(5) }).map(({ state }) => state);
    expect(states).toEqual(['OK', 'ALARM']);
  });

  test('an alarm on a share of failures needs a share and a count', () => {
    const cloudWatch = cloudWatchOf((stack) => {
      const expression = new MathExpression({
        expression: 'IF(failures >= 5, 100 * failures / requests, 0)',
        usingMetrics: { failures: requests('failed'), requests: requests('all') },
        period: Duration.minutes(5),
      });
      alarmOn(stack, 'Share', expression, { threshold: 10, treatMissingData: TreatMissingData.NOT_BREACHING });
    });
    const put = (minute: number, failed: number, all: number) => {
      cloudWatch.putMetric(requestsAt(minutes(minute), 'failed', failed));
      cloudWatch.putMetric(requestsAt(minutes(minute), 'all', all));
    };
    put(0, 4, 4); // all failed, but few
    put(20, 9, 100); // many failed, but a small share
    put(40, 6, 60);
    expect(first(cloudWatch.alarms(hour)).transitions.map(({ atMs, state }) => [atMs, state])).toEqual([
      [minutes(0), 'OK'],
      [minutes(41), 'ALARM'],
      [minutes(46), 'OK'],
    ]);
  });
});

describe('a composite alarm follows its rule', () => {
  test('of two windows: it is in ALARM while both are, and its reason names them', () => {
    const cloudWatch = cloudWatchOf((stack) => {
      const options = { threshold: 5, treatMissingData: TreatMissingData.NOT_BREACHING };
      const short = alarmOn(stack, 'Short', requests('failed', Duration.minutes(5)), {
        ...options,
        alarmName: 'short',
      });
      const long = alarmOn(stack, 'Long', requests('failed', Duration.minutes(30)), { ...options, alarmName: 'long' });
      new CompositeAlarm(stack, 'Both', { alarmRule: AlarmRule.allOf(short, long), compositeAlarmName: 'both' });
    });
    for (const minute of [3, 4, 5]) cloudWatch.putMetric(requestsAt(minutes(minute), 'failed', 2));
    const transitions = Object.fromEntries(
      cloudWatch
        .alarms(hour)
        .map(({ logicalId, transitions: all }) => [
          logicalId.replace(/[0-9A-F]{8}$/, ''),
          all.map(({ atMs, state }) => [(atMs - hour.fromMs) / 60_000, state]),
        ]),
    );
    expect(transitions).toEqual({
      Short: [
        [0, 'OK'],
        [6, 'ALARM'],
        [9, 'OK'],
      ],
      Long: [
        [0, 'OK'],
        [6, 'ALARM'],
        [34, 'OK'],
      ],
      Both: [
        [0, 'OK'],
        [6, 'ALARM'],
        [9, 'OK'],
      ],
    });
    const both = cloudWatch.alarms(hour).find(({ name }) => name === 'both');
    expect(both?.transitions[1]?.reason).toBe('the rule holds: short ALARM, long ALARM');
  });

  test.each([
    ['ALARM("a")', true],
    ['ALARM("b") OR ALARM("a") AND ALARM("c")', false],
    ['(ALARM("b") OR ALARM("a")) AND ALARM("d")', true],
  ])('%s', (rule, expected) => {
    expect(parseRule(rule).isRinging((alarm) => ['a', 'd'].includes(alarm))).toBe(expected);
  });

  test.each([
    ['OK("a")', 'OK("a")'],
    ['NOT ALARM("a")', '“ALARM'],
    ['ALARM("a", "b")', 'ALARM("a", "b")'],
    ['ALARM("a") XOR ALARM("b")', '“XOR'],
    ['AT_LEAST(2, ALARM, ("a", "b"))', '“, "b"'],
    ['ALARM("a") AND', 'its end'],
  ])('the rule %s is an error', (rule, message) => {
    expect(() => parseRule(rule)).toThrow(message);
  });

  test('an alarm that is not in the template is an error', () => {
    const build = () =>
      cloudWatchOf((stack) => {
        new CompositeAlarm(stack, 'C', { alarmRule: AlarmRule.fromString('ALARM("elsewhere")') });
      });
    expect(build).toThrow('no metric alarm elsewhere');
  });
});

describe('an unknown property of an alarm is an error that names it', () => {
  const plain = {
    metricName: 'M',
    namespace: 'N',
    statistic: 'Sum',
    period: 60,
    evaluationPeriods: 1,
    comparisonOperator: 'GreaterThanThreshold',
    threshold: 1,
  };
  const ofExpression = (expression: string, ...others: object[]) => ({
    evaluationPeriods: 1,
    comparisonOperator: 'GreaterThanThreshold',
    threshold: 1,
    metrics: [
      { id: 'e', expression },
      {
        id: 'm',
        metricStat: { metric: { namespace: 'N', metricName: 'M' }, period: 60, stat: 'Sum' },
        returnData: false,
      },
      ...(others as { id: string }[]),
    ],
  });
  test.each([
    ['unit', { ...plain, unit: 'Count' }, 'Unit'],
    ['anomaly detection', { ...plain, thresholdMetricId: 'm' }, 'ThresholdMetricId'],
    ['M out of N datapoints', { ...plain, datapointsToAlarm: 1 }, 'DatapointsToAlarm'],
    ['comparison', { ...plain, comparisonOperator: 'LessThanOrEqualToThreshold' }, 'LessThanOrEqualToThreshold'],
    ['treatment of missing data', { ...plain, treatMissingData: 'ignore' }, 'ignore'],
    ['statistic', { ...plain, statistic: 'tm90' }, 'tm90'],
    ['period', { ...plain, period: 10 }, '10 s'],
    ['two returned metrics', ofExpression('m', { id: 'x', expression: 'm' }), 'not of 2'],
    ['an undefined id', ofExpression('m + x'), 'refers to x'],
    ['an expression that refers to itself', ofExpression('e + m'), 'refers to itself'],
    ['a scalar', ofExpression('1 + 2'), 'no metric: 1 + 2'],
    ['a function', ofExpression('DIFF(m)'), 'DIFF with 1 parameters in metric math: DIFF(m)'],
  ])('%s', (_, properties, message) => {
    expect(() => cloudWatchOf((stack) => new CfnAlarm(stack, 'A', properties))).toThrow(message);
  });
});

test('20 alarms are evaluated over a day with 5000 requests', () => {
  const requestCount = 5000;
  const cloudWatch = cloudWatchOf((stack) => {
    for (let index = 0; index < 20; index++) {
      const hours = Duration.hours([0.5, 1, 6, 24][index % 4] ?? 1);
      alarmOn(stack, `A${index}`, requests('failed', hours), { threshold: 10_000_000 });
    }
  });
  const dayMs = 24 * 60 * 60_000;
  for (let index = 0; index < requestCount; index++)
    cloudWatch.putMetric(requestsAt(hour.fromMs + (index / requestCount) * dayMs, 'failed', 1));
  const alarms = cloudWatch.alarms({ fromMs: hour.fromMs, toMs: hour.fromMs + dayMs });
  expect(alarms.map(({ state }) => state)).toEqual(Array(20).fill('OK'));
});
