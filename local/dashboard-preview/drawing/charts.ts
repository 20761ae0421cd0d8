import type { Point, Series, Threshold, TimeRange, WidgetView } from 'serve-stack/cloudwatch';
import { type LegendEntry, legendFor } from './legend.ts';
import { colorOf, drawLineChart, type Line, thresholdColorOf } from './line-chart.ts';
import type { Size } from './style.ts';
import { escapeHtml, noData, toShortNumber, toTime } from './text.ts';

type TimeSeriesView = Extract<WidgetView, { readonly kind: 'timeSeries' }>;

const legendGapPx = 6;
const fewSilent = 2;
/** A threshold above this multiple of the highest value appears only in the legend: drawn, it would flatten the lines. */
const reach = 4;

export const timeSeriesHtml = (view: TimeSeriesView, range: TimeRange, size: Size): string => {
  if (!view.series.some(({ points }) => points.length > 0)) return noData;
  const lines = view.series.map((series, index) => ({ ...series, color: colorOf(series, index) }));
  const thresholds = view.thresholds.map((each) => ({ ...each, color: thresholdColorOf(each) }));
  const drawn = thresholds.filter((each) => isInReach(each, view));
  const legend = legendFor(
    [...lineEntries(lines), ...thresholds.filter((each) => !drawn.includes(each)).map(beyondEntry)],
    size,
  );
  const chartSize = {
    widthPx: size.widthPx - (legend.side === 'beside' ? legend.widthPx + legendGapPx : 0),
    heightPx: size.heightPx - (legend.side === 'below' ? legend.heightPx + legendGapPx : 0),
  };
  const svg = drawLineChart(
    { ...view, lines: lines.filter(({ points }) => points.length > 0), thresholds: drawn },
    range,
    chartSize,
  );
  return `<div class="chart ${legend.side}">${svg}${legend.html}</div>`;
};

/** Counts the lines without data instead of naming them, unless they are few: most refusal reasons never occur. */
const lineEntries = (lines: readonly Line[]): LegendEntry[] => {
  const drawn = lines.filter(({ points }) => points.length > 0);
  const silent = lines.filter(({ points }) => points.length === 0);
  const silentLabel =
    silent.length > fewSilent ? `${silent.length} others` : silent.map(({ label }) => label).join(', ');
  return [...drawn, ...(silent.length > 0 ? [{ label: `no data: ${silentLabel}` }] : [])];
};

const beyondEntry = ({ label, value, color }: Threshold & { readonly color: string }): LegendEntry => ({
  label: `${label} (at ${toShortNumber(value)}, above the scale)`,
  color,
  isDashed: true,
});

const isInReach = ({ value }: Threshold, { series, isStacked }: TimeSeriesView): boolean => {
  const highest = highestOf(series, isStacked);
  return highest === 0 || value <= highest * reach;
};

const highestOf = (series: readonly Series[], isStacked: boolean): number => {
  const sums = new Map<number, number>();
  for (const [atMs, value] of series.flatMap(({ points }) => points))
    sums.set(atMs, isStacked ? (sums.get(atMs) ?? 0) + value : Math.max(sums.get(atMs) ?? 0, value));
  return Math.max(0, ...sums.values());
};

type ContributorsView = Extract<WidgetView, { readonly kind: 'contributors' }>;
type Contributor = ContributorsView['contributors'][number] & Line;

const tableRowHeightPx = 24;
/** A contributor is over if its last contribution is older than this at the end of the range. */
const ongoingMs = 15 * 60_000;

/** Renders a table of the contributors with start, end and sum, and below it their values over time. */
export const contributorsHtml = (
  { contributors }: ContributorsView,
  range: TimeRange,
  { widthPx, heightPx }: Size,
): string => {
  if (contributors.length === 0) return noData;
  const places = Math.floor(heightPx / 2 / tableRowHeightPx) - 1;
  const shown = contributors
    .slice(0, Math.max(1, places))
    .map((each, index) => ({ ...each, color: colorOf(each, index) }));
  const tableHeightPx = (shown.length + 1) * tableRowHeightPx;
  const chartSize = { widthPx, heightPx: heightPx - tableHeightPx };
  const svg = drawLineChart({ lines: shown, isStacked: true, thresholds: [] }, range, chartSize);
  return `<div class="contributors">${tableHtml(shown, contributors.length, range)}${svg}</div>`;
};

const tableHtml = (contributors: readonly Contributor[], count: number, range: TimeRange) => `<table>
<thead><tr><th>${contributors.length < count ? `the largest ${contributors.length} of ${count}` : ''}</th><th>since</th><th>until</th><th class="number">sum</th></tr></thead>
<tbody>${contributors.map((each) => contributorHtml(each, range)).join('')}</tbody></table>`;

const contributorHtml = ({ label, color, points, sum }: Contributor, { toMs }: TimeRange) => {
  const contributions = points.filter(([, value]) => value > 0);
  return `<tr>
<td><i class="swatch" style="--color:${escapeHtml(color)}"></i>${escapeHtml(label)}</td>
<td><b>${timeOf(contributions[0])}</b></td><td>${isOngoing(contributions, toMs) ? 'now' : timeOf(contributions.at(-1))}</td>
<td class="number">${toShortNumber(sum)}</td></tr>`;
};

const timeOf = (point: Point | undefined) => (point ? toTime(point[0]) : '–');

const isOngoing = (contributions: readonly Point[], toMs: number) =>
  contributions.some(([atMs]) => atMs >= toMs - ongoingMs);
