/** Evaluates a template's alarms, dashboards and queries over metrics and log events that it is given. */
export type { AlarmState } from './src/cloudwatch/alarms/alarm-state.ts';
export type { AlarmView } from './src/cloudwatch/alarms/alarm-view.ts';
export { type CloudWatch, createCloudWatch } from './src/cloudwatch/cloudwatch.ts';
export type {
  Axis,
  DashboardView,
  Point,
  Series,
  Threshold,
  WidgetView,
} from './src/cloudwatch/dashboards/dashboard-view.ts';
export type { WrittenEvent } from './src/cloudwatch/logs/log-store.ts';
export type { MetricDatum, MetricIdentity } from './src/cloudwatch/metrics/metric-store.ts';
export type { TimeRange } from './src/cloudwatch/metrics/time-series.ts';
