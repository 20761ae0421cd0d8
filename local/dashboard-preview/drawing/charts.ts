import type { Point, Series, Threshold, TimeRange, WidgetView } from 'serve-stack/cloudwatch';
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

/** An entry without a colour is a remark. */
type LegendEntry = { readonly label: string; readonly color?: string; readonly isDashed?: boolean };

type Legend = {
  readonly html: string;
  /** The height if the legend is below the chart, otherwise 0. */
  readonly heightPx: number;
  /** The width if the legend is to the right of the chart, otherwise 0. */
  readonly widthPx: number;
  readonly side: 'below' | 'beside';
};

const rowHeightPx = { below: 18, beside: 16 };
const swatchPx = 30;
/** The estimated width of a character in the page's small type. Generous, because an estimate too small cuts names. */
const characterPx = 6.6;

/** Places the legend below the chart if it takes at most a third of the height, otherwise to its right. Never cuts names. */
export const legendFor = (entries: readonly LegendEntry[], { widthPx, heightPx }: Size): Legend => {
  const widths = entries.map(({ label }) => swatchPx + label.length * characterPx);
  const belowPx = rowsOf(widths, widthPx) * rowHeightPx.below;
  if (belowPx <= heightPx / 3)
    return { html: listHtml('below', entries), side: 'below', heightPx: belowPx, widthPx: 0 };
  const shown = fitting(entries, Math.floor(heightPx / rowHeightPx.beside));
  return { html: listHtml('beside', shown), side: 'beside', heightPx: 0, widthPx: Math.ceil(Math.max(...widths)) };
};

const fitting = (entries: readonly LegendEntry[], places: number): readonly LegendEntry[] =>
  entries.length <= places
    ? entries
    : [...entries.slice(0, places - 1), { label: `and ${entries.length - places + 1} more` }];

const listHtml = (side: Legend['side'], entries: readonly LegendEntry[]) =>
  `<ul class="legend ${side}">${entries.map(entryHtml).join('')}</ul>`;

const rowsOf = (widths: readonly number[], widthPx: number): number => {
  let rows = widths.length === 0 ? 0 : 1;
  let takenPx = 0;
  for (const each of widths) {
    if (takenPx > 0 && takenPx + each > widthPx) {
      rows++;
      takenPx = 0;
    }
    takenPx += each;
  }
  return rows;
};

const entryHtml = ({ label, color, isDashed = false }: LegendEntry) => {
  const mark = color && `<i class="${isDashed ? 'dash' : 'swatch'}" style="--color:${escapeHtml(color)}"></i>`;
  return `<li${mark ? '' : ' class="remark"'}>${mark ?? ''}${escapeHtml(label)}</li>`;
};
