import type { Series, Threshold, TimeRange, WidgetView } from 'serve-stack/cloudwatch';
import type { Size } from '../grid.ts';
import { toShortNumber } from '../text/formats.ts';
import { noData } from '../text/no-data.ts';
import { type LegendEntry, legendFor } from './legend.ts';
import { drawLineChart, type Line } from './line-chart.ts';
import { colorOf, thresholdColorOf } from './palette.ts';

type TimeSeriesView = Extract<WidgetView, { readonly kind: 'timeSeries' }>;

const legendGapPx = 6;
const fewSilent = 2;
/** A threshold that is much higher than all values would press them flat: it is told of in the legend only. */
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

/** Counts the lines without data, unless they are few: among twenty reasons for a refusal most are silent. */
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
