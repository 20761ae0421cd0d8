import { type BrokenTemplate, first } from './broken-template.ts';
import type { Defect } from './schema-defects.ts';

const alarm = 'AWS::CloudWatch::Alarm';

/** Writes the body of the first dashboard anew. References in it stay as they are: no text of them is broken. */
const rewriteDashboard = (template: BrokenTemplate, rewrite: (text: string) => string): string => {
  const { logicalId, properties } = first(template, 'AWS::CloudWatch::Dashboard');
  const parts: unknown[] = properties.DashboardBody['Fn::Join'][1];
  properties.DashboardBody['Fn::Join'][1] = parts.map((part) => (typeof part === 'string' ? rewrite(part) : part));
  return logicalId;
};

/** Puts one widget in the place of all that the first dashboard shows. */
const showOnly = (template: BrokenTemplate, widget: object): string => {
  const { logicalId, properties } = first(template, 'AWS::CloudWatch::Dashboard');
  properties.DashboardBody = JSON.stringify({ widgets: [widget] });
  return logicalId;
};

const chartOf = (metrics: unknown) => ({
  type: 'metric',
  properties: { title: 'Chart', region: 'eu-central-1', metrics },
});

/** Lists defects in alarms, dashboards and what else is read as JSON, by the check that finds them. */
export const monitoringDefects: Readonly<Record<string, readonly Defect[]>> = {
  'alarm-windows': [
    {
      name: 'an alarm that looks back more than a day by periods of minutes',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Period }) => Period === 60);
        properties.EvaluationPeriods = 1441;
        return logicalId;
      },
      said: 'looks back 86460 s, and CloudWatch allows 86400 s; lower EvaluationPeriods or the period.',
    },
    {
      name: 'an alarm that looks back more than seven days by periods of hours',
      break: (template) => {
        const isHourly = (properties: { Metrics?: { MetricStat?: { Period: number } }[] }) =>
          properties.Metrics?.some(({ MetricStat }) => MetricStat?.Period === 3600);
        const { logicalId, properties } = first(template, alarm, isHourly);
        properties.EvaluationPeriods = 169;
        return logicalId;
      },
      said: 'looks back 608400 s, and CloudWatch allows 604800 s; lower EvaluationPeriods or the period.',
    },
    {
      name: 'an alarm that needs more datapoints than it evaluates',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm);
        properties.DatapointsToAlarm = properties.EvaluationPeriods + 1;
        return logicalId;
      },
      said: 'needs 2 datapoints of 1; lower DatapointsToAlarm or raise EvaluationPeriods.',
    },
    {
      name: 'a period that CloudWatch does not know',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Period }) => Period);
        properties.Period = 90;
        return logicalId;
      },
      said: 'has a period of 90 s; write 10, 20, 30 or a multiple of 60.',
    },
  ],
  'alarm-metrics': [
    {
      name: 'an alarm that reckons with a metric that is not there',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Metrics }) => Metrics);
        properties.Metrics[0].Expression = 'SUM([failures, refusals])';
        return logicalId;
      },
      said: 'reckons with "refusals", which is the id of no metric beside it; correct the expression.',
    },
    {
      name: 'an alarm that watches two values',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Metrics }) => Metrics?.length > 1);
        delete properties.Metrics[1].ReturnData;
        return logicalId;
      },
      said: 'watches 2 of its metrics; set ReturnData to true for exactly one.',
    },
    {
      name: 'an alarm with two metrics of one id',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Metrics }) => Metrics?.length > 2);
        properties.Metrics[2].Id = properties.Metrics[1].Id;
        return logicalId;
      },
      said: 'has two metrics with the id "forwarded"; give each its own.',
    },
    {
      name: 'an alarm on a statistic that does not exist',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Metrics }) => Metrics?.length > 1);
        properties.Metrics[1].MetricStat.Stat = 'SampelCount';
        return logicalId;
      },
      said: 'asks for the statistic "SampelCount"; write one such as Sum, Average, SampleCount or p99.',
    },
    {
      name: 'an id that begins with a capital letter',
      break: (template) => {
        const { logicalId, properties } = first(template, alarm, ({ Metrics }) => Metrics);
        properties.Metrics[0].Id = 'Rate';
        return logicalId;
      },
      said: 'has the metric id "Rate"; begin it with a small letter',
    },
  ],
  'alarm-rules': [
    {
      name: 'a composite alarm with a word that is none',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::CloudWatch::CompositeAlarm');
        const [, parts] = properties.AlarmRule['Fn::Join'];
        properties.AlarmRule['Fn::Join'][1] = parts.map((part: unknown) =>
          typeof part === 'string' ? part.replace(' OR ', ' ELSE ') : part,
        );
        return logicalId;
      },
      said: 'has an AlarmRule that is no rule; write ALARM("…") with AND, OR, NOT and parentheses.',
    },
    {
      name: 'a composite alarm on an alarm that is not there',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::CloudWatch::CompositeAlarm');
        properties.AlarmRule = 'ALARM("PartnerApi-test-latency") OR NOT (OK("PartnerApi-test-latancy"))';
        return logicalId;
      },
      said: 'asks for the alarm PartnerApi-test-latancy, which is not in the template; correct the reference.',
    },
    {
      name: 'a composite alarm with a rule that is too long',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::CloudWatch::CompositeAlarm');
        properties.AlarmRule = Array(500).fill('ALARM("PartnerApi-test-latency")').join(' OR ');
        return logicalId;
      },
      said: 'has an AlarmRule longer than 10240 characters; split it.',
    },
  ],
  dashboards: [
    {
      name: 'a dashboard that is no JSON',
      break: (template) => rewriteDashboard(template, (text) => text.replace('"widgets":[', '"widgets":')),
      said: 'has a DashboardBody that is no JSON with a list of widgets; write one.',
    },
    {
      name: 'a widget of an unknown type',
      break: (template) => rewriteDashboard(template, (text) => text.replace('"type":"alarm"', '"type":"alarms"')),
      said: 'has a widget 1 ("Alarms") that has the type "alarms"; write one of alarm, custom, ',
    },
    {
      name: 'a widget beyond the right edge',
      break: (template) => showOnly(template, { ...chartOf([['AWS/Lambda', 'Errors']]), x: 16, width: 12 }),
      said: 'has a widget 1 ("Chart") that ends at column 28 of 24; make it narrower or move it.',
    },
    {
      name: 'a chart without metrics',
      break: (template) => showOnly(template, { type: 'metric', properties: { region: 'eu-central-1' } }),
      said: 'has a widget 1 that has no property metrics or insightRule or annotations; add one.',
    },
    {
      name: 'a row of metrics with a dimension that has no value',
      break: (template) => showOnly(template, chartOf([['AWS/Lambda', 'Errors', 'FunctionName']])),
      said: 'has a row 1 of metrics that is neither a metric nor an expression; write [namespace, name,',
    },
    {
      name: 'metrics that are one row and no list of rows',
      break: (template) => showOnly(template, chartOf(['AWS/Lambda', 'Errors'])),
      said: 'has a row 1 of metrics that is neither a metric nor an expression',
    },
    {
      name: 'a chart that reckons with a metric that is not there',
      break: (template) => showOnly(template, chartOf([[{ expression: '100 * errors' }], ['AWS/Lambda', 'Errors']])),
      said: 'that reckons with "errors", which is the id of no metric beside it; correct the expression.',
    },
    {
      name: 'a chart of a statistic that does not exist',
      break: (template) => showOnly(template, chartOf([['AWS/Lambda', 'Errors', { stat: 'sum' }]])),
      said: 'that asks for the statistic "sum"; write one such as',
    },
    {
      name: 'a chart of more metrics than it can show',
      break: (template) => showOnly(template, chartOf(Array(501).fill(['AWS/Lambda', 'Errors']))),
      said: 'shows too many metrics; CloudWatch shows 500; split the dashboard.',
    },
  ],
};
