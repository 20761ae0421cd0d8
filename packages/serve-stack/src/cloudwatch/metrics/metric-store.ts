import { UserFacingError } from '../../errors/user-facing-error.ts';
import { getOrInsert } from '../get-or-insert.ts';

export type MetricIdentity = {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
};

export type MetricDatum = MetricIdentity & { readonly atMs: number; readonly value: number };

export type MetricStore = ReturnType<typeof createMetricStore>;

const minuteMs = 60_000;

/** The values of one minute; CloudWatch keeps no finer times of such metrics either. */
type Minute = { readonly values: number[]; sum: number; minimum: number; maximum: number };

/** Keeps values of metrics and computes statistics of them; a metric is its namespace, name and exact dimensions. */
export const createMetricStore = () => {
  const minutesByMetric = new Map<string, Map<number, Minute>>();

  return {
    put: (datum: MetricDatum): void => {
      const minutes = getOrInsert(minutesByMetric, keyOf(datum), () => new Map<number, Minute>());
      const startMs = Math.floor(datum.atMs / minuteMs) * minuteMs;
      const minute = getOrInsert(minutes, startMs, () => ({
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

    /** Computes over the minutes that begin from `fromMs` up to `toMs`; gives `undefined` where there is no value. */
    statistic: (metric: MetricIdentity, statistic: string, fromMs: number, toMs: number): number | undefined => {
      const compute = statisticOf(statistic);
      const minutes = minutesByMetric.get(keyOf(metric));
      const found: Minute[] = [];
      if (!minutes) return undefined;
      for (let startMs = Math.floor(fromMs / minuteMs) * minuteMs; startMs < toMs; startMs += minuteMs) {
        const minute = minutes.get(startMs);
        if (minute) found.push(minute);
      }
      return found.length === 0 ? undefined : compute(found);
    },
  };
};

const keyOf = ({ namespace, name, dimensions }: MetricIdentity): string =>
  JSON.stringify([namespace, name, Object.entries(dimensions).sort(([a], [b]) => (a < b ? -1 : 1))]);

type Statistic = (minutes: readonly Minute[]) => number;

const sum: Statistic = (minutes) => minutes.reduce((total, minute) => total + minute.sum, 0);
const count: Statistic = (minutes) => minutes.reduce((total, { values }) => total + values.length, 0);

const statistics: Readonly<Record<string, Statistic>> = {
  Sum: sum,
  SampleCount: count,
  Average: (minutes) => sum(minutes) / count(minutes),
  Minimum: (minutes) => minutes.reduce((least, { minimum }) => Math.min(least, minimum), Number.POSITIVE_INFINITY),
  Maximum: (minutes) => minutes.reduce((most, { maximum }) => Math.max(most, maximum), Number.NEGATIVE_INFINITY),
};

const statisticOf = (name: string): Statistic => {
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

/** The nearest rank: the smallest value that at least `percent` of all values do not exceed. */
export const percentile = (values: readonly number[], percent: number): number => {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
};
