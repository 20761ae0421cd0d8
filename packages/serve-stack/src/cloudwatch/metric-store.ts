import { requireKnown, UserFacingError } from '../errors.ts';

export type MetricIdentity = {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
};

export type MetricDatum = MetricIdentity & { readonly atMs: number; readonly value: number };

export type MetricStore = ReturnType<typeof createMetricStore>;

/** Times from `fromMs` up to `toMs`. */
export type TimeRange = { readonly fromMs: number; readonly toMs: number };

export const minuteMs = 60_000;

/** The values of one minute. CloudWatch stores such metrics with no finer resolution either. */
type Minute = { readonly values: number[]; sum: number; minimum: number; maximum: number };

/** Stores values of metrics and computes statistics. Namespace, name and exact dimensions identify a metric. */
export const createMetricStore = () => {
  const minutesByMetric = new Map<string, Map<number, Minute>>();

  return {
    put: (datum: MetricDatum): void => {
      const minutes = getOrInsert(minutesByMetric, keyOf(datum), () => new Map<number, Minute>());
      const minute = getOrInsert(minutes, startOfMinute(datum.atMs), () => ({
        values: [],
        sum: 0,
        minimum: Number.POSITIVE_INFINITY,
        maximum: Number.NEGATIVE_INFINITY,
      }));
      minute.values.push(datum.value);
      minute.sum += datum.value;
      minute.minimum = Math.min(minute.minimum, datum.value);
      minute.maximum = Math.max(minute.maximum, datum.value);
    },

    /** Returns a statistic over the minutes that begin from `fromMs` up to `toMs`; `undefined` if there is no value. */
    statistic: (metric: MetricIdentity, statistic: string, fromMs: number, toMs: number): number | undefined => {
      const compute = statisticOf(statistic);
      const minutes = minutesByMetric.get(keyOf(metric));
      const found: Minute[] = [];
      if (!minutes) return undefined;
      for (let startMs = startOfMinute(fromMs); startMs < toMs; startMs += minuteMs) {
        const minute = minutes.get(startMs);
        if (minute) found.push(minute);
      }
      return found.length === 0 ? undefined : compute(found);
    },
  };
};

const startOfMinute = (atMs: number): number => Math.floor(atMs / minuteMs) * minuteMs;

const getOrInsert = <Key, Item>(map: Map<Key, Item>, key: Key, create: () => Item): Item => {
  const item = map.get(key) ?? create();
  map.set(key, item);
  return item;
};

const keyOf = ({ namespace, name, dimensions }: MetricIdentity): string =>
  JSON.stringify([namespace, name, Object.entries(dimensions).sort(([a], [b]) => (a < b ? -1 : 1))]);

type Statistic = (minutes: readonly Minute[]) => number;

const statistics: Readonly<Record<string, Statistic>> = {
  Sum: (minutes) => minutes.reduce((total, { sum }) => total + sum, 0),
  SampleCount: (minutes) => minutes.reduce((total, { values }) => total + values.length, 0),
  Minimum: (minutes) => minutes.reduce((least, { minimum }) => Math.min(least, minimum), Number.POSITIVE_INFINITY),
  Maximum: (minutes) => minutes.reduce((most, { maximum }) => Math.max(most, maximum), Number.NEGATIVE_INFINITY),
};

/** Returns the function that computes a statistic. Throws an error that names an unknown statistic. */
export const statisticOf = (name: string): Statistic => {
  const known = statistics[name];
  if (known) return known;
  const percent = /^p(\d{1,2}(?:\.\d+)?|100)$/.exec(name)?.[1];
  if (percent === undefined)
    throw new UserFacingError(`The local run does not know the statistic ${name} of a metric.`);
  return (minutes) =>
    percentile(
      minutes.flatMap(({ values }) => values),
      Number(percent),
    );
};

/** Returns the percentile by nearest rank: the smallest value that at least `percent` of all values do not exceed. */
export const percentile = (values: readonly number[], percent: number): number => {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
};

type EmbeddedEvent = Readonly<Record<string, unknown>>;

type Directive = {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string }[];
};

/** Returns the metrics of an event in embedded metric format (`_aws`). Throws if the event violates the format. */
export const metricDataOf = (event: EmbeddedEvent, atMs: number): MetricDatum[] =>
  directivesOf(event).flatMap(({ Namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) => {
      const dimensions = Object.fromEntries(names.map((name) => [name, dimensionOf(event, name)]));
      return Metrics.flatMap(({ Name }) =>
        valuesOf(event, Name).map((value) => ({ namespace: Namespace, name: Name, dimensions, atMs, value })),
      );
    }),
  );

const directivesOf = ({ _aws }: EmbeddedEvent): readonly Directive[] => {
  const directives = isObject(_aws) ? _aws.CloudWatchMetrics : undefined;
  if (!Array.isArray(directives)) throw malformed('_aws holds no list CloudWatchMetrics');
  for (const directive of directives) {
    requireKnown('member of an embedded metric:', Object.keys(directive), ['Namespace', 'Dimensions', 'Metrics']);
    const { Namespace, Dimensions, Metrics } = directive;
    if (typeof Namespace !== 'string') throw malformed('its Namespace is no text');
    if (!Array.isArray(Dimensions) || !Dimensions.every(Array.isArray)) throw malformed('its Dimensions are no lists');
    if (!Array.isArray(Metrics)) throw malformed('its Metrics are no list');
    for (const metric of Metrics) requireKnown('member of an embedded metric:', Object.keys(metric), ['Name', 'Unit']);
  }
  return directives;
};

const dimensionOf = (event: EmbeddedEvent, name: string): string => {
  const value = event[name];
  if (typeof value !== 'string') throw malformed(`its dimension ${name} is no text: ${value}`);
  return value;
};

const valuesOf = (event: EmbeddedEvent, name: string): readonly number[] => {
  const values = [event[name]].flat();
  if (!values.every(Number.isFinite))
    throw malformed(`its metric ${name} is no number: ${JSON.stringify(event[name])}`);
  return values as number[];
};

const isObject = (value: unknown): value is EmbeddedEvent => typeof value === 'object' && value !== null;

const malformed = (why: string) => new UserFacingError(`CloudWatch would record no metric for an event: ${why}.`);
