import { requireKnown } from '../../errors/require-known.ts';
import { UserFacingError } from '../../errors/user-facing-error.ts';
import type { AlarmState } from '../alarms/alarm-state.ts';
import type { AlarmView } from '../alarms/alarm-view.ts';
import { parseLogQuery, runLogQuery } from '../logs/log-query.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { MetricSources } from '../metric-math/metric-queries.ts';
import type { TimeRange } from '../metrics/time-series.ts';
import type { Content, WidgetView } from './dashboard-view.ts';
import { metricWidget } from './metric-widget.ts';

/** Holds what widgets show, and the time of it. */
export type WidgetContext = {
  readonly range: TimeRange;
  readonly sources: MetricSources;
  readonly logStore: LogStore;
  /** The alarms by their ARNs. */
  readonly alarms: ReadonlyMap<string, AlarmView>;
};

type Widget = {
  readonly type?: string;
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
  readonly height?: number;
  readonly properties?: { readonly title?: string };
};

const defaultSize = 6;

export const widgetView = (widget: Widget, context: WidgetContext): WidgetView => {
  requireKnown('member of a widget:', Object.keys(widget), ['type', 'x', 'y', 'width', 'height', 'properties']);
  const { type = '', x, y, width = defaultSize, height = defaultSize, properties = {} } = widget;
  if (x === undefined || y === undefined) throw new UserFacingError('A widget of a dashboard has no place (x, y).');
  const content = contents[type];
  if (!content) throw new UserFacingError(`The local run does not know the widget type ${type}.`);
  return { ...content(properties as never, context), title: properties.title ?? '', x, y, width, height };
};

const textWidget = (properties: { readonly markdown: string }): Content => {
  requireKnown('property of a text widget:', Object.keys(properties), ['markdown', 'background']);
  return { kind: 'text', markdown: properties.markdown };
};

type AlarmProperties = {
  readonly alarms: readonly string[];
  readonly sortBy?: string;
  readonly states?: readonly AlarmState[];
};

const alarmWidget = (properties: AlarmProperties, { alarms }: WidgetContext): Content => {
  requireKnown('property of an alarm widget:', Object.keys(properties), ['alarms', 'title', 'sortBy', 'states']);
  const { sortBy = 'default', states } = properties;
  const order = alarmOrders[sortBy];
  if (!order) throw new UserFacingError(`The local run does not know the order ${sortBy} of alarms.`);
  const shown = properties.alarms.map((arn) => {
    const alarm = alarms.get(arn);
    if (!alarm) throw new UserFacingError(`A dashboard shows the alarm ${arn}, which the template does not contain.`);
    return alarm;
  });
  return { kind: 'alarms', alarms: shown.filter(({ state }) => states?.includes(state) ?? true).sort(order) };
};

const byName = (a: AlarmView, b: AlarmView) => (a.name < b.name ? -1 : 1);

const changedMs = ({ transitions }: AlarmView) => transitions.at(-1)?.atMs ?? 0;

const byChange = (a: AlarmView, b: AlarmView) => changedMs(b) - changedMs(a) || byName(a, b);

const urgency: readonly AlarmState[] = ['ALARM', 'INSUFFICIENT_DATA', 'OK'];

const alarmOrders: Readonly<Record<string, (a: AlarmView, b: AlarmView) => number>> = {
  default: byName,
  stateUpdatedTimestamp: (a, b) => urgency.indexOf(a.state) - urgency.indexOf(b.state) || byChange(a, b),
  timestamp: byChange,
};

const logWidget = (properties: { query: string; view?: string }, { logStore, range }: WidgetContext): Content => {
  requireKnown('property of a log widget:', Object.keys(properties), ['query', 'view', 'title', 'region']);
  requireKnown('view of a log widget:', [properties.view ?? 'table'], ['table']);
  return { kind: 'table', ...runLogQuery(parseLogQuery(properties.query), logStore, range) };
};

const contents: Readonly<Record<string, (properties: never, context: WidgetContext) => Content>> = {
  text: textWidget,
  metric: (properties, { range, sources }) => metricWidget(properties, range, sources),
  alarm: alarmWidget,
  log: logWidget,
};
