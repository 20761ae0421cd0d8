import { requireKnown, UserFacingError } from '../errors.ts';
import type { InsightRules } from './insight-rules.ts';
import { createQueryEvaluator, type MetricQuery, parseMath, periodMsOf, periodsOf } from './metric-math.ts';
import type { MetricIdentity, MetricStore, TimeRange } from './metric-store.ts';

/** A value at a time in ms since the epoch. */
export type Point = readonly [atMs: number, value: number];

export type Series = {
  readonly label: string;
  readonly points: readonly Point[];
  /** The colour that the widget sets, `#rrggbb`. */
  readonly color?: string | undefined;
};

/** A line across a chart, at a value. */
export type Threshold = { readonly label: string; readonly value: number; readonly color?: string | undefined };

/** The metrics that a widget shows. Axes begin at zero. */
export type MetricContent =
  | {
      readonly kind: 'timeSeries';
      readonly isStacked: boolean;
      readonly series: readonly Series[];
      readonly thresholds: readonly Threshold[];
    }
  | {
      readonly kind: 'singleValue';
      readonly values: readonly { readonly label: string; readonly value?: number | undefined }[];
    }
  /** Contributor Insights: the largest contributors over time, largest first. */
  | { readonly kind: 'contributors'; readonly contributors: readonly (Series & { readonly sum: number })[] };

export type MetricContext = {
  readonly range: TimeRange;
  readonly metricStore: MetricStore;
  readonly insightRules: InsightRules;
};

type Properties = {
  readonly annotations?: { readonly horizontal?: readonly Annotation[] };
  readonly insightRule?: { readonly ruleName: string; readonly maxContributorCount: number; readonly orderBy: string };
  readonly metrics?: readonly Row[];
  readonly period?: number;
  readonly setPeriodToTimeRange?: boolean;
  readonly stacked?: boolean;
  readonly start?: string;
  readonly view?: string;
  readonly yAxis?: { readonly left?: { readonly min?: number; readonly showUnits?: boolean } };
};

type Annotation = { readonly value: number; readonly label: string; readonly color?: string };

const knownProperties = [
  ...['annotations', 'insightRule', 'metrics', 'period', 'setPeriodToTimeRange', 'stacked', 'start', 'view', 'yAxis'],
  ...['region', 'title'],
];

const defaultPeriodSeconds = 300;

/** Returns what a widget shows of metrics, or of a Contributor Insights rule. */
export const metricWidget = (properties: Properties, context: MetricContext): MetricContent => {
  requireKnown('property of a metric widget:', Object.keys(properties), knownProperties);
  const { view = 'timeSeries', insightRule, stacked = false, period = defaultPeriodSeconds } = properties;
  requireKnown('view of a metric widget:', [view], ['timeSeries', 'singleValue']);
  const range = rangeOf(properties, context.range);
  if (insightRule) return contributors(insightRule, periodMsOf(period), range, context);
  const lines = (properties.metrics ?? []).map((row) => lineOf(row, period));
  const isOverRange = view === 'singleValue' && properties.setPeriodToTimeRange === true;
  const series = seriesOf(lines, isOverRange, range, context);
  return view === 'singleValue'
    ? { kind: 'singleValue', values: series.map(({ label, points }) => ({ label, value: points.at(-1)?.[1] })) }
    : { kind: 'timeSeries', isStacked: stacked, series, thresholds: thresholdsOf(properties) };
};

const dayMs = 86_400_000;

/** Returns the range of a widget. `-P30D` sets a range that ends with the dashboard's. */
const rangeOf = ({ start }: Properties, { fromMs, toMs }: TimeRange): TimeRange => {
  if (start === undefined) return { fromMs, toMs };
  const [, days] = /^-P(\d+)D$/.exec(start) ?? [];
  if (days === undefined)
    throw new UserFacingError(`The local run knows a start of a widget in whole days, like -P30D, not ${start}.`);
  return { fromMs: toMs - Number(days) * dayMs, toMs };
};

/** Evaluates the visible lines, period by period or over the whole range as one period. */
const seriesOf = (
  lines: readonly Line[],
  isOverRange: boolean,
  range: TimeRange,
  { metricStore }: MetricContext,
): Series[] => {
  const queries = lines.map(({ query }) => (isOverRange ? { ...query, periodMs: range.toMs - range.fromMs } : query));
  const evaluate = createQueryEvaluator(queries, metricStore);
  return lines.flatMap(({ isVisible, label, color }, index) => {
    const query = queries[index];
    if (!isVisible || !query) return [];
    const times = isOverRange ? [range.fromMs] : periodsOf(range, query.periodMs);
    const points = times.flatMap((atMs): Point[] => {
      const value = evaluate(query, atMs);
      return value === undefined ? [] : [[atMs, value]];
    });
    return [{ label, color, points }];
  });
};

const thresholdsOf = ({ annotations = {}, yAxis = {} }: Properties): Threshold[] => {
  requireKnown('annotation of a metric widget:', Object.keys(annotations), ['horizontal']);
  requireKnown('axis of a metric widget:', Object.keys(yAxis), ['left']);
  const { min = 0, ...others } = yAxis.left ?? {};
  requireKnown('member of an axis:', Object.keys(others), ['showUnits']);
  requireKnown('beginning of an axis:', [String(min)], ['0']);
  return (annotations.horizontal ?? []).map(({ value, label, color, ...position }) => {
    requireKnown('member of an annotation:', Object.keys(position), ['yAxis']);
    return { value, label, color };
  });
};

/** A line of a widget: what to evaluate, and how to show it. */
type Line = {
  readonly query: MetricQuery;
  readonly isVisible: boolean;
  readonly label: string;
  readonly color: string | undefined;
};

type RowOptions = {
  readonly expression?: string;
  readonly id?: string;
  readonly visible?: boolean;
  readonly stat?: string;
  readonly period?: number;
  readonly label?: string;
  readonly color?: string;
};

/** A row of a widget's `metrics`: the metric's names and values, unless it is an expression, followed by options. */
type Row = readonly (string | RowOptions)[];

const placeOptions = ['region', 'accountId'];
const rowOptions = ['expression', 'id', 'visible', 'stat', 'period', 'label', 'color', ...placeOptions];

/** Parses a row. `defaultPeriod`, in seconds, applies if the row has none. */
const lineOf = (row: Row, defaultPeriod: number): Line => {
  const names = row.filter((part) => typeof part === 'string');
  const [options = {}] = row.filter((part) => typeof part === 'object');
  requireKnown('option of a metric in a dashboard:', Object.keys(options), rowOptions);
  const { expression, id, visible = true, stat = 'Average', period = defaultPeriod, color } = options;
  const { label = expression ?? names[1] ?? '' } = options;
  if (label.includes('${')) throw new UserFacingError(`The local run does not know dynamic labels: ${label}`);
  const periodMs = periodMsOf(period);
  const query: MetricQuery =
    expression === undefined
      ? { id, periodMs, kind: 'metric', metric: identityOf(names), statistic: stat }
      : { id, periodMs, kind: 'expression', expression: parseMath(expression) };
  return { query, isVisible: visible, label, color };
};

/**
 * Parses the names of a metric. Throws for the shorthand for parts of the previous row (`.` and `...`), which is not supported.
 */
const identityOf = (names: readonly string[]): MetricIdentity => {
  const [namespace, name, ...pairs] = names;
  if (
    namespace === undefined ||
    name === undefined ||
    pairs.length % 2 !== 0 ||
    names.some((each) => /^\.+$/.test(each))
  )
    throw new UserFacingError(`The local run finds no metric in this row of a dashboard: ${JSON.stringify(names)}`);
  const dimensions: Record<string, string> = {};
  for (let index = 0; index < pairs.length; index += 2) dimensions[pairs[index] ?? ''] = pairs[index + 1] ?? '';
  return { namespace, name, dimensions };
};

/** Returns the largest contributors of a rule by their sum over the range. */
const contributors = (
  { ruleName, maxContributorCount, orderBy, ...others }: NonNullable<Properties['insightRule']>,
  periodMs: number,
  range: TimeRange,
  { insightRules }: MetricContext,
): MetricContent => {
  requireKnown('member of insightRule:', Object.keys(others), []);
  requireKnown('order of contributors:', [orderBy], ['Sum']);
  const found = insightRules.contributors(ruleName, periodsOf(range, periodMs), periodMs);
  const ranked = found
    .map((each) => ({ ...each, sum: each.points.reduce((total, [, count]) => total + count, 0) }))
    .sort((a, b) => b.sum - a.sum);
  return { kind: 'contributors', contributors: ranked.slice(0, maxContributorCount) };
};
