import type { AlarmView, DashboardView, TimeRange } from 'serve-stack/cloudwatch';
import { alarmTableHtml } from './alarm-list.ts';
import { style } from './style.ts';
import { toDateAndTime, toTime } from './text/formats.ts';
import { escapeHtml } from './text/html.ts';
import { widgetHtml } from './widgets.ts';

export type PageView = {
  readonly scenario: { readonly name: string; readonly description: string };
  /** The range in shown time. */
  readonly range: TimeRange;
  /** The seconds that the run took. */
  readonly seconds: number;
  /** Shown time by real time. */
  readonly compression: number;
  /** The company that the dashboard of one partner shows. */
  readonly companyId: string;
  readonly alarms: readonly AlarmView[];
  readonly dashboards: readonly DashboardView[];
};

/** Nothing on the page may be loaded from anywhere, and nothing on it runs. */
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'";

/** One page with all dashboards and alarms of a run; complete in itself. */
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

/** Stands above each dashboard, since each is also a picture of its own. */
const captionHtml = ({ scenario, range, seconds, compression, companyId }: PageView) => `<div>
<p><b>${escapeHtml(scenario.name)}</b>${escapeHtml(scenario.description)}</p>
<p><b>${toDateAndTime(range.fromMs)} – ${toTime(range.toMs)} UTC</b>${seconds} s of a local run: one second is shown as \
${compression / 60} minutes. Counts and latencies are as measured.
One partner: ${escapeHtml(companyId)}.</p></div>`;
