import { requireKnown, UserFacingError } from '../errors.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import type { Template } from '../template/stack.ts';
import type { AlarmView } from './alarms.ts';
import { parseLogQuery, runLogQuery, type Table } from './log-query.ts';
import type { LogStore } from './log-store.ts';
import { type MetricContent, type MetricContext, metricWidget } from './metric-widget.ts';

/** What CloudWatch would show in a widget, as numbers. */
type Content =
  | { readonly kind: 'text'; readonly markdown: string }
  | { readonly kind: 'alarms'; readonly alarms: readonly AlarmView[] }
  | MetricContent
  /** The result of a log query. */
  | ({ readonly kind: 'table' } & Table);

/** A widget with its place on the dashboard's grid of 24 columns. */
export type WidgetView = Content & {
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export type DashboardView = { readonly name: string; readonly widgets: readonly WidgetView[] };

/** The data that widgets show, and its time range. */
type WidgetContext = MetricContext & {
  readonly logStore: LogStore;
  /** The alarms by their ARNs. */
  readonly alarms: ReadonlyMap<string, AlarmView>;
};

type Body = { readonly widgets: readonly Widget[] };

/** Returns a function that evaluates the template's dashboards. */
export const createDashboards = (template: Template, resolve: Resolve) => {
  const dashboards = readResources<{ DashboardBody: string }>(template, resolve, 'AWS::CloudWatch::Dashboard', [
    'DashboardName',
    'DashboardBody',
  ]).map(({ logicalId, DashboardBody }) => ({
    name: resolve<string>({ Ref: logicalId }),
    body: bodyOf(DashboardBody),
  }));

  return (context: WidgetContext): DashboardView[] =>
    dashboards.map(({ name, body: { widgets } }) => ({
      name,
      widgets: widgets.map((widget) => widgetView(widget, context)),
    }));
};

const bodyOf = (text: string): Body => {
  const body: Body = JSON.parse(text);
  requireKnown('member of a dashboard:', Object.keys(body), ['widgets', 'start', 'periodOverride']);
  return body;
};

type Widget = Pick<WidgetView, 'x' | 'y' | 'width' | 'height'> & {
  readonly type: string;
  readonly properties: { readonly title?: string };
};

const widgetView = (widget: Widget, context: WidgetContext): WidgetView => {
  requireKnown('member of a widget:', Object.keys(widget), ['type', 'x', 'y', 'width', 'height', 'properties']);
  const { type, x, y, width, height, properties } = widget;
  const content = contents[type];
  if (!content) throw new UserFacingError(`The local run does not know the widget type ${type}.`);
  return { ...content(properties as never, context), title: properties.title ?? '', x, y, width, height };
};

const contents: Readonly<Record<string, (properties: never, context: WidgetContext) => Content>> = {
  text: (properties: { readonly markdown: string }) => {
    requireKnown('property of a text widget:', Object.keys(properties), ['markdown', 'background']);
    return { kind: 'text', markdown: properties.markdown };
  },
  metric: metricWidget,
  alarm: (properties: { readonly alarms: readonly string[] }, { alarms }) => {
    requireKnown('property of an alarm widget:', Object.keys(properties), ['alarms', 'title']);
    const shown = properties.alarms.map((arn) => {
      const alarm = alarms.get(arn);
      if (!alarm) throw new UserFacingError(`A dashboard shows the alarm ${arn}, which the template does not contain.`);
      return alarm;
    });
    return { kind: 'alarms', alarms: shown.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  },
  log: (properties: { readonly query: string; readonly view: string }, { logStore, range }) => {
    requireKnown('property of a log widget:', Object.keys(properties), ['query', 'view', 'title', 'region']);
    requireKnown('view of a log widget:', [properties.view], ['table']);
    return { kind: 'table', ...runLogQuery(parseLogQuery(properties.query), logStore, range) };
  },
};
