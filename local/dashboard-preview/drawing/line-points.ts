import type { Point, Series, TimeRange } from 'serve-stack/cloudwatch';

/** A gap is a step between two points longer than this multiple of the usual step. */
const tolerance = 1.5;

/** The longest period of a graph: if its only two points are hours apart, there is a gap between them. */
const longestPeriodMs = 5 * 60_000;

type Drawn = { readonly value: [atMs: number, value: number | null]; readonly symbol: 'circle' | 'none' };

/** Breaks a line where points are missing and marks a point without neighbours as a dot: a line would suggest values. */
export const withGaps = (points: readonly Point[]): Drawn[] => {
  const stepMs = Math.min(stepOf(points), longestPeriodMs);
  const follows = (one: Point | undefined, other: Point | undefined) =>
    one !== undefined && other !== undefined && other[0] - one[0] <= stepMs * tolerance;
  return points.flatMap((point, index): Drawn[] => {
    const [before, after] = [points[index - 1], points[index + 1]];
    const isAlone = !follows(before, point) && !follows(point, after);
    const drawn: Drawn = { value: [...point], symbol: isAlone ? 'circle' : 'none' };
    return before && !follows(before, point) ? [{ value: [before[0] + stepMs, null], symbol: 'none' }, drawn] : [drawn];
  });
};

/** Gives all lines the same times, because they are stacked point by point; a missing point counts as 0. */
export const onSameTimes = <Line extends Series>(lines: readonly Line[], { fromMs }: TimeRange): Line[] => {
  const points = lines.flatMap((line) => line.points).toSorted(([one], [other]) => one - other);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return [...lines];
  const stepMs = stepOf(points);
  const times: number[] = [];
  for (let atMs = first[0] - Math.floor((first[0] - fromMs) / stepMs) * stepMs; atMs <= last[0]; atMs += stepMs)
    times.push(atMs);
  return lines.map((line) => {
    const values = new Map(line.points);
    return { ...line, points: times.map((atMs): Point => [atMs, values.get(atMs) ?? 0]) };
  });
};

/**
 * Returns the shortest step between points in order of time, at most an hour: CloudWatch's period, unless no two points are
 * neighbours.
 */
const stepOf = (points: readonly Point[]): number => {
  const steps = points.slice(1).map(([atMs], index) => atMs - (points[index]?.[0] ?? atMs));
  return Math.min(...steps.filter((step) => step > 0), oneHourMs);
};

const oneHourMs = 3_600_000;
