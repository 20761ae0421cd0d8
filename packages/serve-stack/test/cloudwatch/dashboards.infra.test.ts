import { Duration, type Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  CfnDashboard,
  CfnInsightRule,
  Dashboard,
  GraphWidget,
  type IWidget,
  LogQueryWidget,
  MathExpression,
  Metric,
  SingleValueWidget,
  TextWidget,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test } from 'vitest';
import { cloudWatchOf, first, hour, minutes } from './cloudwatch-of.ts';

const requests = (decision: string) =>
  new Metric({
    namespace: 'N',
    metricName: 'Requests',
    dimensionsMap: { decision },
    statistic: 'Sum',
    period: Duration.minutes(1),
  });

const withRequests = (build: (stack: Stack) => void) => {
  const cloudWatch = cloudWatchOf(build);
  for (const [minute, decision, value] of [
    [1, 'allowed', 90],
    [1, 'failed', 10],
    [2, 'allowed', 50],
    [59, 'allowed', 40],
  ] as const)
    cloudWatch.putMetric({ namespace: 'N', name: 'Requests', dimensions: { decision }, atMs: minutes(minute), value });
  return cloudWatch;
};

const shown = (...widgets: readonly IWidget[]) =>
  first(
    withRequests((stack) => {
      new Dashboard(stack, 'Dashboard', { dashboardName: 'service' }).addWidgets(...widgets);
    }).dashboards(hour),
  );

describe('a dashboard shows the content of its widgets', () => {
  test('a text, at its position on the grid', () => {
    const { name, widgets } = shown(new TextWidget({ markdown: '# Service', width: 24, height: 2 }));
    expect(name).toBe('service');
    expect(widgets).toEqual([{ kind: 'text', markdown: '# Service', title: '', x: 0, y: 0, width: 24, height: 2 }]);
  });

  test('a graph of metrics and an expression, with thresholds; hidden lines are not shown', () => {
    const share = new MathExpression({
      expression: '100 * FILL(failed, 0) / allowed',
      usingMetrics: { failed: requests('failed'), allowed: requests('allowed') },
      period: Duration.minutes(1),
      label: 'share',
    });
    const { widgets } = shown(
      new TextWidget({ markdown: '', width: 4, height: 1 }),
      new GraphWidget({
        title: 'Requests',
        left: [requests('allowed').with({ label: 'ok', color: '#00ff00' }), share],
        leftYAxis: { min: 0, showUnits: false },
        leftAnnotations: [{ value: 5, label: 'objective', color: '#ff0000' }],
        stacked: true,
        width: 12,
      }),
    );
    expect(widgets[1]).toEqual({
      kind: 'timeSeries',
      title: 'Requests',
      isStacked: true,
      x: 4,
      y: 0,
      width: 12,
      height: 6,
      series: [
        {
          label: 'ok',
          color: '#00ff00',
          points: [
            [minutes(1), 90],
            [minutes(2), 50],
            [minutes(59), 40],
          ],
        },
        {
          label: 'share',
          color: undefined,
          points: [
            [minutes(1), 1000 / 90],
            [minutes(2), 0],
            [minutes(59), 0],
          ],
        },
      ],
      thresholds: [{ label: 'objective', value: 5, color: '#ff0000' }],
    });
  });

  test('single values: the newest, or of the whole range', () => {
    const metrics = [requests('allowed').with({ label: 'allowed' }), requests('none').with({ label: 'none' })];
    const share = new MathExpression({
      expression: '100 * failed / allowed',
      label: 'share',
      period: Duration.minutes(1),
      usingMetrics: { failed: requests('failed'), allowed: requests('allowed') },
    });
    const { widgets } = shown(
      new SingleValueWidget({ metrics }),
      new SingleValueWidget({ metrics: [...metrics, share], setPeriodToTimeRange: true }),
    );
    expect(widgets).toMatchObject([
      {
        kind: 'singleValue',
        values: [
          { label: 'allowed', value: 40 },
          { label: 'none', value: undefined },
        ],
      },
      { values: [{ label: 'allowed', value: 180 }, { value: undefined }, { label: 'share', value: 1000 / 180 }] },
    ]);
  });

  test('its alarms, sorted by name', () => {
    const cloudWatch = withRequests((stack) => {
      const alarms = [99, 10].map(
        (threshold) =>
          new Alarm(stack, `Failed${threshold}`, {
            alarmName: `failed-${threshold}`,
            metric: requests('failed'),
            threshold,
            evaluationPeriods: 1,
            treatMissingData: TreatMissingData.NOT_BREACHING,
          }),
      );
      new Dashboard(stack, 'D').addWidgets(new AlarmStatusWidget({ alarms }));
    });
    const { widgets } = first(cloudWatch.dashboards({ fromMs: minutes(0), toMs: minutes(2) }));
    expect(widgets).toMatchObject([
      {
        kind: 'alarms',
        alarms: [
          { name: 'failed-10', state: 'ALARM' },
          { name: 'failed-99', state: 'OK' },
        ],
      },
    ]);
  });

  test('the result of a log query over a log group of the template', () => {
    const cloudWatch = cloudWatchOf((stack) => {
      const { logGroupName } = new LogGroup(stack, 'Events', { logGroupName: 'api' });
      new Dashboard(stack, 'D').addWidgets(
        new LogQueryWidget({
          logGroupNames: [logGroupName],
          title: 'Slow',
          queryLines: ['filter durationMs > 5', 'sort durationMs desc', 'fields durationMs'],
        }),
      );
    });
    for (const durationMs of [1, 7, 9])
      cloudWatch.putLogEvent({ logGroup: 'api', atMs: minutes(1), message: JSON.stringify({ durationMs }) });
    expect(first(cloudWatch.dashboards(hour)).widgets).toMatchObject([
      { kind: 'table', title: 'Slow', columns: ['durationMs'], rows: [['9'], ['7']] },
    ]);
  });

  test('the largest contributors of a rule', () => {
    const cloudWatch = cloudWatchOf((stack) => {
      const { logGroupName } = new LogGroup(stack, 'Events', { logGroupName: 'api' });
      const rule = new CfnInsightRule(stack, 'Rule', {
        ruleName: 'top',
        ruleState: 'ENABLED',
        ruleBody: JSON.stringify({
          Schema: { Name: 'CloudWatchLogRule', Version: 1 },
          LogGroupNames: [logGroupName],
          LogFormat: 'JSON',
          Contribution: { Keys: ['$.companyId'], Filters: [] },
          AggregateOn: 'Count',
        }),
      });
      new CfnDashboard(stack, 'D', {
        dashboardBody: stack.toJsonString({
          widgets: [
            {
              type: 'metric',
              x: 0,
              y: 0,
              width: 8,
              height: 6,
              properties: {
                view: 'timeSeries',
                period: 300,
                insightRule: { ruleName: rule.ref, maxContributorCount: 2, orderBy: 'Sum' },
              },
            },
          ],
        }),
      });
    });
    for (const [minute, companyId] of [
      [1, 'a'],
      [2, 'b'],
      [3, 'b'],
      [3, 'c'],
      [7, 'a'],
      [8, 'a'],
    ] as const)
      cloudWatch.putLogEvent({ logGroup: 'api', atMs: minutes(minute), message: JSON.stringify({ companyId }) });
    const [contributors] = first(cloudWatch.dashboards(hour)).widgets;
    expect(contributors).toMatchObject({
      kind: 'contributors',
      contributors: [
        {
          label: 'a',
          sum: 3,
          points: [
            [minutes(0), 1],
            [minutes(5), 2],
          ],
        },
        { label: 'b', sum: 2, points: [[minutes(0), 2]] },
      ],
    });
  });
});

const dashboardOf = (...widgets: readonly object[]) =>
  withRequests((stack) => {
    const dashboardBody = JSON.stringify({
      widgets: widgets.map((widget) => ({ x: 0, y: 0, width: 8, height: 6, ...widget })),
    });
    new CfnDashboard(stack, 'D', { dashboardBody });
  });

const metricWidget = (...metrics: readonly unknown[]) => ({ type: 'metric', properties: { metrics } });

describe('an unknown part of a dashboard is an error that names it', () => {
  const metric = ['N', 'Requests', { stat: 'Sum' }];
  const named = (options: object) => ['N', 'Requests', { stat: 'Sum', id: 'm', ...options }];
  const threshold = { value: 1, label: 'l' };
  test.each<[string, object]>([
    ['explorer', { type: 'explorer', properties: {} }],
    ['z', { type: 'text', z: 1, properties: { markdown: '' } }],
    ['font', { type: 'text', properties: { markdown: '', font: 'Arial' } }],
    ['gauge', { type: 'metric', properties: { view: 'gauge', metrics: [metric] } }],
    ['trend', { type: 'metric', properties: { trend: true, metrics: [metric] } }],
    ['vertical', { type: 'metric', properties: { metrics: [metric], annotations: { vertical: [] } } }],
    [
      'shade',
      { type: 'metric', properties: { metrics: [metric], annotations: { horizontal: [{ ...threshold, shade: 1 }] } } },
    ],
    ['right', { type: 'metric', properties: { metrics: [metric], yAxis: { right: { min: 0 } } } }],
    ['log', { type: 'metric', properties: { metrics: [metric], yAxis: { left: { log: true } } } }],
    ['beginning of an axis: 5', { type: 'metric', properties: { metrics: [metric], yAxis: { left: { min: 5 } } } }],
    ['legend', metricWidget(named({ legend: 'x' }))],
    ['yAxis', metricWidget(named({ yAxis: 'right' }))],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the notation of CloudWatch's dynamic labels.
    ['dynamic labels', metricWidget(named({ label: '[max: ${MAX}]' }))],
    ['no metric in this row of a dashboard: ["N","Requests","decision"]', metricWidget(['N', 'Requests', 'decision'])],
    ['no metric in this row of a dashboard: [".","Requests"]', metricWidget(metric, ['.', 'Requests'])],
    ['statistic Average', metricWidget(['N', 'Requests'])],
    ['period of 60 s, a metric in it one of 300 s', metricWidget(named({}), [{ expression: 'm', period: 60 }])],
    ['METRICS', metricWidget(named({}), [{ expression: 'METRICS()' }])],
    ['bar', { type: 'log', properties: { view: 'bar', query: 'limit 1' } }],
    ['arn:unknown', { type: 'alarm', properties: { alarms: ['arn:unknown'] } }],
    ['sortBy', { type: 'alarm', properties: { alarms: [], sortBy: 'timestamp' } }],
    ['rule nowhere', { type: 'metric', properties: { insightRule: { ruleName: 'nowhere', orderBy: 'Sum' } } }],
    ['Maximum', { type: 'metric', properties: { insightRule: { ruleName: 'r', orderBy: 'Maximum' } } }],
  ])('%s', (message, widget) => {
    expect(() => dashboardOf(widget).dashboards(hour)).toThrow(message);
  });

  test('a variable', () => {
    const variables = [{ id: 'v', type: 'property', property: 'region' }];
    const build = () =>
      cloudWatchOf((stack) => {
        new CfnDashboard(stack, 'D', { dashboardBody: JSON.stringify({ widgets: [], variables }) });
      });
    expect(build).toThrow('variables');
  });
});
