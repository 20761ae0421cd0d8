import type { Template } from '../assembly.ts';
import { type Check, type Fault, listOf, resourcesOf, textOf } from './check.ts';

type Query = {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: { readonly Stat: string };
  readonly ReturnData?: boolean;
};

/** Finds alarms that watch no value or several, or refer to an undefined metric or an unknown statistic. */
export const checkAlarmMetrics: Check = (template) =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm').flatMap(({ logicalId, properties }) => {
    const queries = listOf<Query>(properties.Metrics);
    const watched = queries.filter(({ ReturnData = true }) => ReturnData).length;
    const sentences = [
      ...(queries.length > 0 && watched !== 1
        ? [`watches ${watched} of its metrics; set ReturnData to true for exactly one.`]
        : []),
      ...faultsOfStatistics([properties.ExtendedStatistic, ...queries.map(({ MetricStat }) => MetricStat?.Stat)]),
      ...faultsOfMath(queries.map(({ Id, Expression }) => ({ id: Id, expression: Expression }))),
    ];
    return sentences.map((sentence) => ({ logicalId, sentence }));
  });

const hour = 3600;
const day = 24 * hour;

type Timed = {
  readonly Period?: number;
  readonly MetricStat?: { readonly Period: number };
};

/**
 * Finds alarms that look back further than CloudWatch allows, have an unsupported period, or need more datapoints than they
 * evaluate.
 */
export const checkAlarmWindows: Check = (template) =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm').flatMap(({ logicalId, properties }) => {
    const { EvaluationPeriods: evaluated, DatapointsToAlarm: datapoints = evaluated } = properties;
    const periods = [properties as Timed, ...listOf<Timed>(properties.Metrics)].flatMap(
      ({ Period, MetricStat }) => Period ?? MetricStat?.Period ?? [],
    );
    const period = Math.max(0, ...periods);
    const limit = period < hour ? day : 7 * day;
    const sentences = [
      ...periods
        .filter((each) => !isKnown(each))
        .map((each) => `has a period of ${each} s; write 10, 20, 30 or a multiple of 60.`),
      ...(period * evaluated > limit
        ? [
            `looks back ${period * evaluated} s, and CloudWatch allows ${limit} s; lower EvaluationPeriods or the period.`,
          ]
        : []),
      ...(datapoints > evaluated
        ? [`needs ${datapoints} datapoints of ${evaluated}; lower DatapointsToAlarm or raise EvaluationPeriods.`]
        : []),
    ];
    return sentences.map((sentence) => ({ logicalId, sentence }));
  });

const isKnown = (period: number) => [10, 20, 30].includes(period) || (period > 0 && period % 60 === 0);

/** Finds composite alarms whose rule has a syntax error or refers to an alarm that is not in the template. */
export const checkAlarmRules: Check = (template) =>
  resourcesOf(template, 'AWS::CloudWatch::CompositeAlarm').flatMap(({ logicalId, properties }): Fault[] => {
    const rule = textOf(properties.AlarmRule) ?? '';
    const sentences = [
      ...(isRule(rule)
        ? []
        : ['has an AlarmRule with a syntax error; write ALARM("…") with AND, OR, NOT and parentheses.']),
      ...alarmsIn(rule)
        .filter((alarm) => !isAlarm(template, alarm))
        .map((alarm) => `refers to the alarm ${alarm}, which is not in the template; correct the reference.`),
    ];
    return sentences.map((sentence) => ({ logicalId, sentence }));
  });

const state = /(ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*("[^"]+"|[^\s"()]+)\s*\)/g;

/** Replaces each alarm with TRUE, then each part that it recognizes; a valid rule reduces to a single TRUE. */
const isRule = (rule: string): boolean => {
  let left = rule.replace(state, 'TRUE').replaceAll('FALSE', 'TRUE').trim();
  for (let before = ''; before !== left; ) {
    before = left;
    left = left.replace(/NOT\s+TRUE|\(\s*TRUE\s*\)|TRUE\s+(AND|OR)\s+TRUE/g, 'TRUE');
  }
  return left === 'TRUE';
};

const alarmsIn = (rule: string): string[] =>
  [...rule.matchAll(state)].map(([, , alarm = '']) => alarm.replaceAll('"', ''));

const isAlarm = (template: Template, alarm: string): boolean =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm').some(
    ({ logicalId, properties }) =>
      [`{${logicalId}}`, `{${logicalId}.Arn}`].includes(alarm) || textOf(properties.AlarmName) === alarm,
  );

/** A metric or an expression; expressions refer to others by their ids. */
type MathRow = { readonly id?: string | undefined; readonly expression?: string | undefined };

/** Returns the words that begin with a lowercase letter: functions are uppercase, and strings are quoted. */
const idsIn = (expression: string): readonly string[] =>
  expression.replace(/'[^']*'|"[^"]*"/g, '').match(/(?<![\w.])[a-z]\w*/g) ?? [];

/** Returns the faults of ids that are duplicated, or used but undefined. */
export const faultsOfMath = (rows: readonly MathRow[]): string[] => {
  const ids = rows.flatMap(({ id }) => id ?? []);
  const wanted = new Set(rows.flatMap(({ expression }) => (expression === undefined ? [] : idsIn(expression))));
  return [
    ...ids
      .filter((id, index) => ids.indexOf(id) !== index)
      .map((id) => `has two metrics with the id "${id}"; give each its own.`),
    ...[...wanted]
      .filter((id) => !ids.includes(id))
      .map((id) => `uses "${id}", which is not the id of another metric; correct the expression.`),
  ];
};

/** Matches names, percentiles, trimmed and Winsorized means and the like: `p99.9`, `tm90`, `PR(:300)`, `TM(10%:90%)`. */
const statistic =
  /^(SampleCount|Average|Sum|Minimum|Maximum|IQM|(p|tm|wm|tc|ts)\d+(\.\d+)?|(PR|TM|WM|TC|TS)\([\d.%]*:[\d.%]*\))$/;

/** Returns the faults of statistics that CloudWatch does not know. */
export const faultsOfStatistics = (statistics: readonly (string | undefined)[]): string[] =>
  statistics
    .filter((each) => each !== undefined && !statistic.test(each))
    .map((each) => `has the unknown statistic "${each}"; write for example Sum, Average, SampleCount or p99.`);
