/** Values by the time in ms at which their period starts, in order of time; a period without a value is missing. */
export type TimeSeries = ReadonlyMap<number, number>;

/** Metric math computes with a scalar, a series, or several series. */
export type Value = number | TimeSeries | readonly TimeSeries[];

/** Times from `fromMs` up to `toMs`. */
export type TimeRange = { readonly fromMs: number; readonly toMs: number };

/** The starts of periods, in order. */
export type Times = readonly number[];

/** Gives the periods that hold `fromMs` up to `toMs`, aligned to the epoch as CloudWatch's graphs are. */
export const periodsOf = ({ fromMs, toMs }: TimeRange, periodMs: number): Times => {
  const firstMs = Math.floor(fromMs / periodMs) * periodMs;
  return Array.from({ length: Math.ceil((toMs - firstMs) / periodMs) }, (_, index) => firstMs + index * periodMs);
};

/** Makes a series of what `valueAt` gives; a value is missing if it is `undefined` or no finite number. */
export const seriesOf = (times: Iterable<number>, valueAt: (atMs: number) => number | undefined): TimeSeries => {
  const series = new Map<number, number>();
  for (const atMs of times) {
    const value = valueAt(atMs);
    if (value !== undefined && Number.isFinite(value)) series.set(atMs, value);
  }
  return series;
};

export const isSeries = (value: Value): value is TimeSeries => value instanceof Map;

export const isSeveral = (value: Value): value is readonly TimeSeries[] => Array.isArray(value);

/** A scalar has its value at any time. */
export const valueAt = (value: number | TimeSeries, atMs: number): number | undefined =>
  isSeries(value) ? value.get(atMs) : value;

/** Applies a function of series to a series or to each of several. */
export const mapSeries = (value: Value, apply: (series: number | TimeSeries) => Value): Value =>
  isSeveral(value) ? value.map((series) => apply(series) as TimeSeries) : apply(value);

/** Applies a function of each point with the one before it, which the first has not. */
export const mapWithPrevious = (
  series: TimeSeries,
  apply: (point: readonly [number, number], previous: readonly [number, number]) => number,
): TimeSeries => {
  const points = [...series];
  return new Map(points.slice(1).map((point, index) => [point[0], apply(point, points[index] ?? point)]));
};
