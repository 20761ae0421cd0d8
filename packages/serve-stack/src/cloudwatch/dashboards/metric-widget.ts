import { requireKnown } from '../../errors/require-known.ts';
import { UserFacingError } from '../../errors/user-facing-error.ts';
import { createQueryEvaluator, type MetricSources, periodMsOf } from '../metric-math/metric-queries.ts';
import { isSeries, periodsOf, type TimeRange, type TimeSeries, type Value } from '../metrics/time-series.ts';
import { contributorsWidget, type ShownRule } from './contributors-widget.ts';
import type { Axis, Content, Threshold } from './dashboard-view.ts';
import { type Line, type Row, readLines } from './metric-rows.ts';

type YAxis = Axis & { readonly showUnits?: boolean };

type Annotation = {
  readonly value: number;
  readonly label?: string;
  readonly color?: string;
  readonly visible?: boolean;
};

type Properties = {
  readonly annotations?: { readonly horizontal?: readonly Annotation[] };
  readonly insightRule?: ShownRule;
  readonly metrics?: readonly Row[];
  readonly period?: number;
  readonly setPeriodToTimeRange?: boolean;
  readonly stacked?: boolean;
  readonly start?: string;
  readonly stat?: string;
  readonly view?: string;
  readonly yAxis?: { readonly left?: YAxis; readonly right?: YAxis };
};

const knownProperties = [
  ...[
    'annotations',
    'insightRule',
    'metrics',
    'period',
    'setPeriodToTimeRange',
    'stacked',
    'start',
    'stat',
    'view',
    'yAxis',
  ],
  // These change how it is drawn, not what.
  ...['legend', 'liveData', 'region', 'singleValueFullPrecision', 'sparkline', 'timezone', 'title'],
];

const defaultPeriodSeconds = 300;

export const metricWidget = (properties: Properties, ofDashboard: TimeRange, sources: MetricSources): Content => {
  requireKnown('property of a metric widget:', Object.keys(properties), knownProperties);
  const {
    view = 'timeSeries',
    metrics = [],
    stat = 'Average',
    period = defaultPeriodSeconds,
    insightRule,
  } = properties;
  requireKnown('view of a metric widget:', [view], ['timeSeries', 'singleValue']);
  const range = rangeOf(properties, ofDashboard);
  if (insightRule) return contributorsWidget(insightRule, periodMsOf(period), range, sources.insightRules);
  const lines = readLines(metrics, { stat, period });
  return view === 'singleValue'
    ? singleValue(lines, properties.setPeriodToTimeRange ?? false, range, sources)
    : timeSeries(lines, properties, range, sources);
};

const dayMs = 86_400_000;

/** A widget may have a range of its own, which ends with the dashboard's: `-P30D`. */
const rangeOf = ({ start }: Properties, { fromMs, toMs }: TimeRange): TimeRange => {
  if (start === undefined) return { fromMs, toMs };
  const [, days] = /^-P(\d+)D$/.exec(start) ?? [];
  if (days === undefined)
    throw new UserFacingError(`The local run knows a start of a widget in whole days, like -P30D, not ${start}.`);
  return { fromMs: toMs - Number(days) * dayMs, toMs };
};

const timeSeries = (
  lines: readonly Line[],
  { stacked = false, yAxis = {}, annotations = {} }: Properties,
  range: TimeRange,
  sources: MetricSources,
): Content => {
  requireKnown('annotation of a metric widget:', Object.keys(annotations), ['horizontal']);
  requireKnown('axis of a metric widget:', Object.keys(yAxis), ['left', 'right']);
  const evaluate = createQueryEvaluator(
    lines.map(({ query }) => query),
    sources,
    (periodMs) => periodsOf(range, periodMs),
  );
  return {
    kind: 'timeSeries',
    isStacked: stacked,
    series: lines
      .filter(({ isVisible }) => isVisible)
      .map(({ query, label, color, axis }) => ({ label, color, axis, points: [...seriesIn(label, evaluate(query))] })),
    left: yAxis.left && axisOf(yAxis.left),
    right: yAxis.right && axisOf(yAxis.right),
    thresholds: (annotations.horizontal ?? []).flatMap(thresholdOf),
  };
};

/** CloudWatch refuses an expression that comes to a scalar; one that comes to several series it shows as several lines. */
const seriesIn = (label: string, value: Value): TimeSeries => {
  if (isSeries(value)) return value;
  throw new UserFacingError(
    `The local run shows one series for a line, but ${label} gives a scalar or several series.`,
  );
};

const axisOf = ({ showUnits: _, ...axis }: YAxis): Axis => {
  requireKnown('member of an axis:', Object.keys(axis), ['label', 'min', 'max']);
  return axis;
};

const thresholdOf = (annotation: Annotation): Threshold[] => {
  const members = ['value', 'label', 'color', 'yAxis', 'fill', 'visible'];
  requireKnown('member of an annotation:', Object.keys(annotation), members);
  const { value, label = String(value), color, visible = true } = annotation;
  return visible ? [{ label, value, color }] : [];
};

/** The newest point of each line, or its value over the whole range as one period. */
const singleValue = (
  lines: readonly Line[],
  isOverRange: boolean,
  range: TimeRange,
  sources: MetricSources,
): Content => {
  const lengthMs = range.toMs - range.fromMs;
  const queries = new Map(
    lines.map(({ query }) => [query, isOverRange ? { ...query, periodMs: lengthMs } : query] as const),
  );
  const evaluate = createQueryEvaluator([...queries.values()], sources, (periodMs) =>
    isOverRange ? [range.fromMs] : periodsOf(range, periodMs),
  );
  return {
    kind: 'singleValue',
    values: lines
      .filter(({ isVisible }) => isVisible)
      .map(({ label, query }) => {
        const value = evaluate(queries.get(query) ?? query);
        return { label, value: [...seriesIn(label, value).values()].at(-1) };
      }),
  };
};
