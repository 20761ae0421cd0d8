import { beforeAll, describe, expect, test } from 'vitest';
import { type Consumer, consumers } from '../../../lambdas/api/background-functions.ts';
import { functionProblemsOf } from '../../../lambdas/api/chain.ts';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../../lambdas/api/limits.ts';
import { type MetricName, metrics, unservedDecisions } from '../../../lambdas/api/metrics.ts';
import { tables } from '../../../lambdas/api/tables.ts';
import { resourcesOf, stackName, type Template, templateOfStage } from '../synthesized.ts';

type Widget = {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a widget holds depends on its type.
  readonly properties: Record<string, any>;
};

/** A row of a widget's metrics: namespace, name, dimensions by name and value, and options. */
type MetricRow = readonly (string | Record<string, unknown>)[];

let template: Template;
let onCall: readonly Widget[];
beforeAll(async () => {
  template = await templateOfStage('example');
  onCall = widgetsOf('on-call');
});

/** Returns the text with references as `{LogicalId}`. */
const textOf = (body: { readonly 'Fn::Join': [string, (string | Record<string, unknown>)[]] }): string =>
  body['Fn::Join'][1]
    .map((part) => (typeof part === 'string' ? part : `{${Object.values(part).flat().join('.')}}`))
    .join('');

const bodyOf = (name: string) => {
  const dashboards = resourcesOf(template, 'AWS::CloudWatch::Dashboard');
  const [, found] = dashboards.find(([, { Properties }]) => Properties.DashboardName === `${stackName}-${name}`) ?? [];
  return JSON.parse(textOf(found?.Properties.DashboardBody));
};

const widgetsOf = (name: string): readonly Widget[] => bodyOf(name).widgets;

const rowsOf = ({ properties }: Widget): MetricRow[] => properties.metrics ?? [];

/** Returns the values of a dimension in the dashboard's own metrics. */
const valuesOf = (metric: string, dimension: string) =>
  onCall
    .flatMap(rowsOf)
    .filter((row) => row[1] === metric && row.includes(dimension))
    .map((row) => row[row.indexOf(dimension) + 1]);

describe('the on-call dashboard', () => {
  test('contains no log query, so that it appears at once', () => {
    expect(new Set(onCall.map(({ type }) => type))).toEqual(new Set(['alarm', 'metric']));
  });

  test('shows every alarm, the two composite alarms first', () => {
    const shown: string[] = onCall.find(({ type }) => type === 'alarm')?.properties.alarms;
    const all = ['AWS::CloudWatch::CompositeAlarm', 'AWS::CloudWatch::Alarm'].flatMap((type) =>
      resourcesOf(template, type).map(([id]) => `{${id}.Arn}`),
    );
    const remedy = 'The widget of alarms in infra/monitoring/dashboards/on-call-dashboard.ts has to have every alarm.';
    expect([...shown].sort(), remedy).toEqual([...all].sort());
    expect(shown.slice(0, 2)).toEqual([expect.stringContaining('page'), expect.stringContaining('ticket')]);
  });

  test('counts all decisions that API Gateway does not count, all rate policies and all reasons', () => {
    const reasons = new Set(Object.values<Endpoint>(endpoints).flatMap(functionProblemsOf));
    const remedy =
      'Let infra/monitoring/dashboards/on-call-dashboard.ts draw a line for each of them; they come from lambdas/api/.';
    expect(valuesOf('Requests', 'decision').sort(), remedy).toEqual([...unservedDecisions].sort());
    expect(valuesOf('Requests', 'ratePolicy').sort(), remedy).toEqual(Object.keys(ratePolicies).sort());
    expect(valuesOf('Requests', 'reason').sort(), remedy).toEqual(
      [...reasons].filter((reason) => reason !== 'rate-limit-exceeded').sort(),
    );
  });

  test('includes the errors and throttles of every function', () => {
    for (const metric of ['Errors', 'Throttles'])
      expect(valuesOf(metric, 'FunctionName')).toHaveLength(operationIds.length);
  });

  test('shows the capacity, throttles and latency of every table', () => {
    for (const metric of [
      'ConsumedReadCapacityUnits',
      'ConsumedWriteCapacityUnits',
      'ReadThrottleEvents',
      'WriteThrottleEvents',
    ])
      expect(new Set(valuesOf(metric, 'TableName')).size).toBe(Object.keys(tables).length);
    expect(new Set(valuesOf('SuccessfulRequestLatency', 'TableName')).size).toBe(Object.keys(tables).length);
  });

  test('shows depth and age of every queue, every dead-letter queue, and the relay’s delay', () => {
    const linesOf = (title: string) => {
      const widget = onCall.find(({ properties }) => properties.title === title) as Widget;
      return rowsOf(widget).flatMap((row) => (row.includes('QueueName') ? [[row[1], nameOfQueue(row)]] : []));
    };
    const all = resourcesOf(template, 'AWS::SQS::Queue').map(([id]) => id);
    const kept = all.filter((id) => /DeadLetters|Undelivered|Failures/.test(id));
    const used = all.filter((id) => !kept.includes(id));
    const newQueue =
      'The stack has another number of dead-letter queues, or of other queues, than this test knows. Correct the two numbers if the queues are intended.';
    expect([kept.length, used.length], newQueue).toEqual([6, 4]);
    const lines = (metric: string, ids: readonly string[]) => ids.map((id) => [metric, id]).sort();
    expect(linesOf('Integrations: messages that wait').sort()).toEqual(
      lines('ApproximateNumberOfMessagesVisible', used),
    );
    expect(linesOf('Integrations: age of the oldest, s').sort()).toEqual(lines('ApproximateAgeOfOldestMessage', used));
    expect(linesOf('Integrations: dead letters').sort()).toEqual(lines('ApproximateNumberOfMessagesVisible', kept));
    const streamed = Object.entries<Consumer>(consumers).flatMap(([name, { source }]) =>
      'stream' in source ? name : [],
    );
    expect(valuesOf('IteratorAge', 'FunctionName')).toEqual(
      streamed.map((name) => expect.stringMatching(`^\\{IntegrationsConsumers${name}Function`)),
    );
  });

  /** `{IntegrationsQueuesportalEventsQueue1C2A7179.QueueName}` is the name of that queue. */
  const nameOfQueue = (row: MetricRow) =>
    String(row[row.indexOf('QueueName') + 1]).replace(/^\{(.+)\.QueueName\}$/, '$1');

  test('uses existing rules of Contributor Insights', () => {
    const rules = resourcesOf(template, 'AWS::CloudWatch::InsightRule').map(
      ([, { Properties }]) => Properties.RuleName,
    );
    const asked = onCall.flatMap(({ properties }) => (properties.insightRule ? [properties.insightRule.ruleName] : []));
    const remedy =
      'Each rule of Contributor Insights is to have one widget in infra/monitoring/dashboards/on-call-dashboard.ts, and each such widget a rule.';
    expect(asked.sort(), remedy).toEqual(rules.sort());
  });
});

test('no widget overlaps another or exceeds the grid', () => {
  const taken = new Set<string>();
  for (const { x, y, width, height } of widgetsOf('on-call'))
    for (let column = x; column < x + width; column++)
      for (let row = y; row < y + height; row++) {
        const remedy = `Column ${column}, row ${row} of the on-call dashboard is beyond the grid or taken twice. Correct the widths in infra/monitoring/dashboards/on-call-dashboard.ts.`;
        expect(column, remedy).toBeLessThan(24);
        expect(taken.has(`${column},${row}`), remedy).toBe(false);
        taken.add(`${column},${row}`);
      }
});

test('the service’s events contain each own metric and dimension that dashboards and alarms use', () => {
  const asked = [
    ...onCall
      .flatMap(rowsOf)
      .filter(([namespace]) => namespace === stackName)
      .map((row) => [row[1], row[2]]),
    ...resourcesOf(template, 'AWS::CloudWatch::Alarm')
      .flatMap(([, { Properties }]) => [
        Properties,
        ...(Properties.Metrics ?? []).map((each: Part) => each.MetricStat?.Metric),
      ])
      .filter((metric) => metric?.Namespace === stackName)
      .map(({ MetricName, Dimensions = [] }) => [MetricName, Dimensions[0]?.Name]),
  ];
  expect(asked.length).toBeGreaterThan(30);
  for (const [name, dimension] of asked) {
    const known = metrics[name as MetricName];
    const remedy = `A widget or an alarm reads ${name}${dimension ? ` by ${dimension}` : ''}, which no event of the service has. Add it to metrics in lambdas/api/metrics.ts, or read another metric.`;
    expect(known, remedy).toBeDefined();
    if (typeof dimension === 'string') expect(known.dimensions, remedy).toContain(dimension);
    else expect(known.dimensions, remedy).toEqual([]);
  }
});

type Part = { readonly MetricStat?: { readonly Metric: { readonly Namespace: string } } };
