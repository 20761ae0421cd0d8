import { requireKnown, UserFacingError } from '../errors.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import type { Template } from '../template/template.ts';
import type { AlarmView } from './alarms.ts';
import { parseLogQuery, runLogQuery, type Table } from './log-query.ts';
import type { LogStore } from './log-store.ts';
import { type MetricContent, type MetricContext, metricWidget } from './metric-widget.ts';

/** Holds what CloudWatch would show in a widget, as numbers. */
type Content =
  | { readonly kind: 'text'; readonly markdown: string }
  | { readonly kind: 'alarms'; readonly alarms: readonly AlarmView[] }
  | MetricContent
  /** The answer of a log query. */
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

/** Holds what widgets show, and the time of it. */
type WidgetContext = MetricContext & {
  readonly logStore: LogStore;
  /** The alarms by their ARNs. */
  readonly alarms: ReadonlyMap<string, AlarmView>;
};

export type Variables = Readonly<Record<string, string>>;

type Variable = { readonly id: string; readonly type: string; readonly pattern: string; readonly defaultValue: string };

type Body = { readonly widgets: readonly Widget[]; readonly variables?: readonly Variable[] };

/** The template's dashboards; a variable that none of them has is an error. */
export const createDashboards = (template: Template, resolve: Resolve) => {
  const dashboards = readResources<{ DashboardBody: string }>(template, resolve, 'AWS::CloudWatch::Dashboard', [
    'DashboardName',
    'DashboardBody',
  ]).map(({ logicalId, DashboardBody }) => ({
    name: resolve<string>({ Ref: logicalId }),
    body: bodyOf(DashboardBody),
  }));

  return (context: WidgetContext, chosen: Variables): DashboardView[] => {
    const ids = dashboards.flatMap(({ body }) => (body.variables ?? []).map(({ id }) => id));
    requireKnown('variable of a dashboard:', Object.keys(chosen), ids);
    return dashboards.map(({ name, body: { widgets, variables = [] } }) => ({
      name,
      widgets: widgets.map((widget) => widgetView(substitute(widget, variables, chosen), context)),
    }));
  };
};

const bodyOf = (text: string): Body => {
  const body: Body = JSON.parse(text);
  requireKnown('member of a dashboard:', Object.keys(body), ['widgets', 'variables', 'start', 'periodOverride']);
  for (const variable of body.variables ?? []) {
    const drawn = ['inputType', 'label', 'visible'];
    requireKnown('member of a variable:', Object.keys(variable), ['id', 'type', 'pattern', 'defaultValue', ...drawn]);
    requireKnown(`type of the variable ${variable.id}:`, [variable.type], ['pattern']);
  }
  return body;
};

/** Puts the values of variables in place of their patterns, wherever those stand in a widget. */
const substitute = (widget: Widget, variables: readonly Variable[], chosen: Variables): Widget => {
  const text = variables.reduce(
    (current, { id, pattern, defaultValue }) =>
      current.replaceAll(inJson(pattern), () => inJson(chosen[id] ?? defaultValue)),
    JSON.stringify(widget.properties),
  );
  return { ...widget, properties: JSON.parse(text) };
};

/** Writes a text as it stands between quotes in JSON. */
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

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
