import type { AlarmState, AlarmView, DashboardView, TimeRange, WidgetView } from 'serve-stack/cloudwatch';
import { contributorsHtml, timeSeriesHtml } from './charts.ts';
import { contentSizeOf, type Size, style } from './style.ts';
import { escapeHtml, markdownHtml, markdownLineHtml, noData, toDateAndTime, toShortNumber, toTime } from './text.ts';

type PageView = {
  readonly scenario: { readonly name: string; readonly description: string };
  /** The range, in shown time. */
  readonly range: TimeRange;
  /** The length of the run in seconds. */
  readonly seconds: number;
  /** The ratio of shown time to real time. */
  readonly compression: number;
  readonly alarms: readonly AlarmView[];
  readonly dashboards: readonly DashboardView[];
};

/** The page loads nothing and runs no scripts. */
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'";

/** Returns one self-contained page with all dashboards and alarms of a run. */
export const pageHtml = (view: PageView): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<title>Dashboards: ${escapeHtml(view.scenario.name)}</title>
<style>${style}</style>
</head>
<body>
${view.dashboards.map((dashboard) => dashboardHtml(dashboard, view)).join('\n')}
<section id="alarms"><header><h2>Alarms</h2></header><article class="card">${alarmTableHtml(view.alarms)}</article></section>
</body>
</html>
`;

const dashboardHtml = ({ name, widgets }: DashboardView, view: PageView) => `<section id="${escapeHtml(name)}">
<header><h2>${escapeHtml(name)}</h2>${captionHtml(view)}</header>
<div class="grid">${widgets.map((widget) => widgetHtml(widget, view.range)).join('\n')}</div>
</section>`;

/** Repeated above each dashboard, because each becomes a separate picture. */
const captionHtml = ({ scenario, range, seconds, compression }: PageView) => `<div>
<p><b>${escapeHtml(scenario.name)}</b>${escapeHtml(scenario.description)}</p>
<p><b>${toDateAndTime(range.fromMs)} – ${toTime(range.toMs)} UTC</b>${seconds} s of a local run: one second is shown as \
${compression / 60} minutes. Counts and latencies are as measured.</p></div>`;

/** Renders a widget at its position on the grid. */
const widgetHtml = (widget: WidgetView, range: TimeRange): string => {
  const { kind, title, x, y, width, height } = widget;
  const place = `grid-area:${y + 1}/${x + 1}/span ${height}/span ${width}`;
  const heading = kind === 'text' && title === '' ? '' : `<h3>${escapeHtml(title)}</h3>`;
  return `<article class="card ${kind}" style="${place}">${heading}${contentHtml(widget, range, contentSizeOf(widget))}</article>`;
};

const contentHtml = (widget: WidgetView, range: TimeRange, size: Size): string => {
  switch (widget.kind) {
    case 'text':
      return markdownHtml(widget.markdown);
    case 'alarms':
      return alarmPillsHtml(widget.alarms);
    case 'timeSeries':
      return timeSeriesHtml(widget, range, size);
    case 'singleValue':
      return singleValueHtml(widget);
    case 'contributors':
      return contributorsHtml(widget, range, size);
    case 'table':
      return tableHtml(widget, size);
  }
};

const words: Readonly<Record<AlarmState, string>> = { ALARM: 'in alarm', INSUFFICIENT_DATA: 'no data', OK: 'ok' };

const mostUrgentFirst = Object.keys(words);

/** Sorts alarms in ALARM state first. */
const sorted = (alarms: readonly AlarmView[]): AlarmView[] =>
  alarms.toSorted((one, other) => mostUrgentFirst.indexOf(one.state) - mostUrgentFirst.indexOf(other.state));

const alarmPillsHtml = (alarms: readonly AlarmView[]): string =>
  alarms.length === 0
    ? noData
    : `<ul class="pills">${sorted(alarms)
        .map(
          (each) => `<li class="${each.state}"><b>${escapeHtml(each.name)}</b> ${words[each.state]}${since(each)}</li>`,
        )
        .join('')}</ul>`;

const since = (alarm: AlarmView) => {
  const { atMs } = alarm.transitions.at(-1) ?? {};
  return alarm.state === 'ALARM' && atMs !== undefined ? ` since ${toTime(atMs)}` : '';
};

const alarmTableHtml = (alarms: readonly AlarmView[]): string => `<table class="alarms">
<thead><tr><th>state</th><th>since</th><th>alarm</th><th class="number">last value</th><th>what it means</th></tr></thead>
<tbody>${sorted(alarms).map(rowHtml).join('')}</tbody></table>`;

const rowHtml = ({ state, name, kind, transitions, lastValue, description }: AlarmView) => {
  const { atMs } = transitions.at(-1) ?? {};
  return `<tr><td><span class="state ${state}">${words[state]}</span></td>
<td>${atMs === undefined ? '–' : toTime(atMs)}</td><td><b>${escapeHtml(name)}</b></td>
<td class="number">${kind === 'composite' ? '' : toShortNumber(lastValue)}</td>
<td>${markdownLineHtml(description.split('\n')[0] ?? '')}</td></tr>`;
};

type TableView = Extract<WidgetView, { readonly kind: 'table' }>;
type SingleValueView = Extract<WidgetView, { readonly kind: 'singleValue' }>;

const rowHeightPx = 22;

/** Renders as many rows as fit, and the number of the remaining rows. */
const tableHtml = ({ columns, rows }: TableView, { heightPx }: Size): string => {
  if (rows.length === 0) return noData;
  const places = Math.max(1, Math.floor(heightPx / rowHeightPx) - 1);
  const shown = rows.length > places ? rows.slice(0, Math.max(1, places - 1)) : rows;
  const left = rows.length - shown.length;
  const cells = (tag: string, texts: readonly string[]) =>
    texts.map((text) => `<${tag} title="${escapeHtml(text)}">${escapeHtml(text)}</${tag}>`).join('');
  return `<table><thead><tr>${cells('th', columns)}</tr></thead>
<tbody>${shown.map((row) => `<tr>${cells('td', row)}</tr>`).join('')}</tbody></table>
${left > 0 ? `<p class="left-over">and ${left} more</p>` : ''}`;
};

const singleValueHtml = ({ values }: SingleValueView): string =>
  values.length === 0
    ? noData
    : `<dl class="values">${values
        .map(
          ({ label, value }) =>
            `<div><dd>${value === undefined ? noData : toShortNumber(value)}</dd><dt>${escapeHtml(label)}</dt></div>`,
        )
        .join('')}</dl>`;
