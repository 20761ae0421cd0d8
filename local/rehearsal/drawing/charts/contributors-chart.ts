import type { Point, TimeRange, WidgetView } from 'serve-stack/cloudwatch';
import { grid, type Size } from '../grid.ts';
import { toShortNumber, toTime } from '../text/formats.ts';
import { escapeHtml } from '../text/html.ts';
import { noData } from '../text/no-data.ts';
import { drawLineChart, type Line } from './line-chart.ts';
import { colorOf } from './palette.ts';

type ContributorsView = Extract<WidgetView, { readonly kind: 'contributors' }>;
type Contributor = ContributorsView['contributors'][number] & Line;

const rowHeightPx = 24;
/** Contributions that ended this long before the end of the picture are over. */
const ongoingMs = 15 * 60_000;

/** Shows who contributes, since when and how much; beside it, or below in a narrow widget, how that went over time. */
export const contributorsHtml = (
  { contributors, width }: ContributorsView,
  range: TimeRange,
  { widthPx, heightPx }: Size,
): string => {
  if (contributors.length === 0) return noData;
  const isWide = width > grid.columns / 2;
  const places = Math.floor((isWide ? heightPx : heightPx / 2) / rowHeightPx) - 1;
  const shown = contributors
    .slice(0, Math.max(1, places))
    .map((each, index) => ({ ...each, color: colorOf(each, index) }));
  const listHeightPx = (shown.length + 1) * rowHeightPx;
  const chartSize = isWide
    ? { widthPx: Math.floor(widthPx / 2), heightPx }
    : { widthPx, heightPx: heightPx - listHeightPx };
  const svg = drawLineChart({ lines: shown, isStacked: true, thresholds: [] }, range, chartSize);
  return `<div class="contributors ${isWide ? 'wide' : 'narrow'}">${listHtml(shown, contributors.length, range)}${svg}</div>`;
};

const listHtml = (contributors: readonly Contributor[], count: number, range: TimeRange) => `<table>
<thead><tr><th>${contributors.length < count ? `the largest ${contributors.length} of ${count}` : ''}</th><th>since</th><th>until</th><th class="number">sum</th></tr></thead>
<tbody>${contributors.map((each) => rowHtml(each, range)).join('')}</tbody></table>`;

const rowHtml = ({ label, color, points, sum }: Contributor, { toMs }: TimeRange) => {
  const contributions = points.filter(([, value]) => value > 0);
  return `<tr>
<td><i class="swatch" style="--color:${escapeHtml(color)}"></i>${escapeHtml(label)}</td>
<td><b>${timeOf(contributions[0])}</b></td><td>${isOngoing(contributions, toMs) ? 'now' : timeOf(contributions.at(-1))}</td>
<td class="number">${toShortNumber(sum)}</td></tr>`;
};

const timeOf = (point: Point | undefined) => (point ? toTime(point[0]) : '–');

const isOngoing = (contributions: readonly Point[], toMs: number) =>
  contributions.some(([atMs]) => atMs >= toMs - ongoingMs);
