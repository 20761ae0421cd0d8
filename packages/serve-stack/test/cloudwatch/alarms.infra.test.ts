import { Duration, type Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  AlarmState,
  CfnAlarm,
  ComparisonOperator,
  CompositeAlarm,
  type CreateAlarmOptions,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { describe, expect, test } from 'vitest';
import { campaign, size } from '../../../../test/support/campaign.ts';
import { stateAfter, type TreatMissingData as Treatment } from '../../src/cloudwatch/alarms/alarm-state.ts';
import { parseCompositeRule } from '../../src/cloudwatch/alarms/composite-rule.ts';
import { cloudWatchOf, first, hour, minutes } from './cloudwatch-of.ts';

describe('an alarm takes missing data as it is told to', () => {
  const isBreaching = { X: true, 0: false, '-': undefined };
  // Those of CloudWatch's manual, as far as the evaluated periods tell: “X” is breaching, “0” is not, “-” is missing.
  test.each([
    ['0 X X', 3, 'OK', 'OK', 'OK', 'OK'],
    ['X X X', 3, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
    ['X - X', 2, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
    ['- - -', 3, 'INSUFFICIENT_DATA', 'retained', 'ALARM', 'OK'],
    ['- - 0', 3, 'OK', 'OK', 'OK', 'OK'],
    ['- - X', 3, 'INSUFFICIENT_DATA', 'retained', 'ALARM', 'OK'],
    ['X - -', 3, 'ALARM', 'retained', 'ALARM', 'OK'],
    ['0 X -', 2, 'OK', 'OK', 'ALARM', 'OK'],
    ['- - 0', 2, 'OK', 'OK', 'ALARM', 'OK'],
    ['- - X', 2, 'INSUFFICIENT_DATA', 'retained', 'ALARM', 'OK'],
    ['- X -', 2, 'ALARM', 'retained', 'ALARM', 'OK'],
    ['- - X', 1, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ])('%s with %i to alarm', (points, datapointsToAlarm, missing, ignore, breaching, notBreaching) => {
    for (const previous of ['OK', 'ALARM', 'INSUFFICIENT_DATA'] as const) {
      const state = (treatMissingData: Treatment) =>
        stateAfter({
          isBreaching: points.split(' ').map((point) => isBreaching[point as 'X']),
          datapointsToAlarm,
          treatMissingData,
          previous,
        });
      expect([state('missing'), state('ignore'), state('breaching'), state('notBreaching')]).toEqual(
        [missing, ignore, breaching, notBreaching].map((expected) => (expected === 'retained' ? previous : expected)),
      );
    }
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
  test('two of three minutes above the threshold ring, and stop ringing when they are past', () => {
    const cloudWatch = cloudWatchOf((stack) => {
      alarmOn(stack, 'Failures', requests('failed'), {
        alarmName: 'failures',
        alarmDescription: 'See the runbook.',
        threshold: 10,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 3,
        datapointsToAlarm: 2,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
    });
    for (const [minute, value] of [
      [10, 10],
      [20, 11],
      [22, 12],
    ] as const)
      cloudWatch.putMetric(requestsAt(minutes(minute) + 30_000, 'failed', value));
    const alarm = first(cloudWatch.alarms(hour));
    expect(alarm).toMatchObject({ name: 'failures', kind: 'metric', description: 'See the runbook.', state: 'OK' });
    expect(alarm.transitions).toEqual([
      { atMs: minutes(0), state: 'OK', reason: '0 of the last 3 values > 10: missing, missing, missing' },
      { atMs: minutes(23), state: 'ALARM', reason: '2 of the last 3 values > 10: 11, missing, 12' },
      { atMs: minutes(24), state: 'OK', reason: '1 of the last 3 values > 10: missing, 12, missing' },
    ]);
    expect(first(cloudWatch.alarms({ fromMs: minutes(0), toMs: minutes(23) }))).toMatchObject({
      state: 'ALARM',
      lastValue: 12,
    });
  });

  test.each([
    [ComparisonOperator.GREATER_THAN_THRESHOLD, 5, 'OK'],
    [ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD, 5, 'ALARM'],
    [ComparisonOperator.LESS_THAN_THRESHOLD, 5, 'OK'],
    [ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD, 5, 'ALARM'],
    [ComparisonOperator.GREATER_THAN_THRESHOLD, 4, 'ALARM'],
    [ComparisonOperator.LESS_THAN_THRESHOLD, 6, 'ALARM'],
  ])('5 is compared by %s with %i: %s', (comparisonOperator, threshold, state) => {
    const cloudWatch = cloudWatchOf((stack) =>
      alarmOn(stack, 'A', requests('failed'), { comparisonOperator, threshold }),
    );
    cloudWatch.putMetric(requestsAt(minutes(0), 'failed', 5));
    expect(first(cloudWatch.alarms({ fromMs: minutes(1), toMs: minutes(1) })).state).toBe(state);
  });

  test('a percentile rings on the slowest alone', () => {
    const latency = new Metric({ namespace: 'N', metricName: 'Ms', period: Duration.minutes(5) });
    const cloudWatch = cloudWatchOf((stack) => {
      alarmOn(stack, 'P50', latency.with({ statistic: 'p50' }), { threshold: 100 });
      alarmOn(stack, 'P99', latency.with({ statistic: 'p99' }), { threshold: 100 });
    });
    for (let index = 0; index < 50; index++)
      cloudWatch.putMetric({
        namespace: 'N',
        name: 'Ms',
        dimensions: {},
        atMs: minutes(0),
        value: index === 7 ? 900 : 9,
      });
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
  test('of two windows: it rings while both ring, and says which do', () => {
    const cloudWatch = cloudWatchOf((stack) => {
      const options = { threshold: 5, treatMissingData: TreatMissingData.NOT_BREACHING };
      const short = alarmOn(stack, 'Short', requests('failed', Duration.minutes(5)), {
        ...options,
        alarmName: 'short',
      });
      const long = alarmOn(stack, 'Long', requests('failed', Duration.minutes(30)), { ...options, alarmName: 'long' });
      const both = new CompositeAlarm(stack, 'Both', {
        alarmRule: AlarmRule.allOf(short, long),
        compositeAlarmName: 'both',
      });
      new CompositeAlarm(stack, 'Quiet', {
        alarmRule: AlarmRule.allOf(AlarmRule.not(both), AlarmRule.fromAlarm(long, AlarmState.OK)),
      });
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
      Quiet: [
        [0, 'ALARM'],
        [6, 'OK'],
        [34, 'ALARM'],
      ],
    });
    const both = cloudWatch.alarms(hour).find(({ name }) => name === 'both');
    expect(both?.transitions[1]?.reason).toBe('the rule holds: short ALARM, long ALARM');
  });

  test.each([
    ['ALARM(a)', true],
    ['ALARM("b")', false],
    ['INSUFFICIENT_DATA(c) AND OK(b)', true],
    ['ALARM(b) OR ALARM(a) AND ALARM(c)', false],
    ['(ALARM(b) OR ALARM(a)) AND NOT ALARM(c)', true],
    ['NOT(ALARM(a)) OR FALSE', false],
    ['NOT ALARM(b) AND NOT ALARM(a)', false],
    ['TRUE AND (NOT (FALSE))', true],
  ])('%s', (rule, expected) => {
    const states = { a: 'ALARM', b: 'OK', c: 'INSUFFICIENT_DATA' } as const;
    expect(parseCompositeRule(rule).holds((alarm) => states[alarm as 'a'])).toBe(expected);
  });

  test.each([
    ['ALARM(a, b)', 'one alarm'],
    ['ALARM()', 'one alarm'],
    ['RINGS(a)', 'RINGS'],
    ['a AND b', 'understand'],
    ['ALARM(a) XOR ALARM(b)', '“XOR'],
    ['AT_LEAST(2, ALARM, (a, b))', 'AT_LEAST'],
  ])('the rule %s is an error', (rule, message) => {
    expect(() => parseCompositeRule(rule)).toThrow(message);
  });

  test('an alarm that is not in the template, and one that watches itself, are errors', () => {
    const withRule = (rule: string) => () =>
      cloudWatchOf((stack) => {
        new CompositeAlarm(stack, 'C', { alarmRule: AlarmRule.fromString(rule), compositeAlarmName: 'circle' });
      }).alarms(hour);
    expect(withRule('ALARM("elsewhere")')).toThrow('no alarm elsewhere');
    expect(withRule('NOT ALARM("circle")')).toThrow('circle watches itself');
  });
});

describe('what is not known of an alarm is an error that names it', () => {
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
    ...{ evaluationPeriods: 1, comparisonOperator: 'GreaterThanThreshold', threshold: 1 },
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
    ['comparison', { ...plain, comparisonOperator: 'GreaterThanUpperThreshold' }, 'GreaterThanUpperThreshold'],
    ['treatment of missing data', { ...plain, treatMissingData: 'good' }, 'good'],
    ['low samples', { ...plain, evaluateLowSampleCountPercentile: 'ignore' }, 'ignore'],
    ['statistic', { ...plain, statistic: 'tm90' }, 'tm90'],
    ['period', { ...plain, period: 10 }, '10 s'],
    ['two returned metrics', ofExpression('m', { id: 'x', expression: 'm' }), 'not of 2'],
    ['an id that stands nowhere', ofExpression('m + x'), 'refers to x'],
    ['an expression of itself', ofExpression('e + m'), 'refers to itself'],
    ['a scalar', ofExpression('SUM(m)'), 'has to watch one series'],
    ['what depends on earlier values', ofExpression('DIFF(m)'), 'DIFF'],
  ])('%s', (_, properties, message) => {
    const evaluate = () => {
      const cloudWatch = cloudWatchOf((stack) => new CfnAlarm(stack, 'A', properties));
      cloudWatch.putMetric({ namespace: 'N', name: 'M', dimensions: {}, atMs: minutes(0), value: 1 });
      return cloudWatch.alarms(hour);
    };
    expect(evaluate).toThrow(message);
  });
});

const requestCount = size({ test: 5000, prove: 100_000 });
test(`a day of ${requestCount} requests under 20 alarms is evaluated`, campaign, async ({ annotate }) => {
  const cloudWatch = cloudWatchOf((stack) => {
    for (let index = 0; index < 20; index++) {
      const hours = Duration.hours([0.5, 1, 6, 24][index % 4] ?? 1);
      alarmOn(stack, `A${index}`, requests('failed', hours), { threshold: 10_000_000 });
    }
  });
  const dayMs = 24 * 60 * 60_000;
  for (let index = 0; index < requestCount; index++)
    cloudWatch.putMetric(requestsAt(hour.fromMs + (index / requestCount) * dayMs, 'failed', 1));
  const beganMs = performance.now();
  const alarms = cloudWatch.alarms({ fromMs: hour.fromMs, toMs: hour.fromMs + dayMs });
  await annotate(`${Math.round(performance.now() - beganMs)} ms`);
  expect(alarms.map(({ state }) => state)).toEqual(Array(20).fill('OK'));
});
