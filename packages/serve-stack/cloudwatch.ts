/** Evaluates a template's alarms, dashboards and queries over given metrics and log events. */
export type { AlarmView } from './src/cloudwatch/alarms.ts';
export { type CloudWatch, createCloudWatch } from './src/cloudwatch/cloudwatch.ts';
export type { DashboardView, WidgetView } from './src/cloudwatch/dashboards.ts';
export type { WrittenEvent } from './src/cloudwatch/log-store.ts';
export type { AlarmState } from './src/cloudwatch/metric-alarm.ts';
export type { MetricDatum, MetricIdentity, TimeRange } from './src/cloudwatch/metric-store.ts';
export type { Point, Series, Threshold } from './src/cloudwatch/metric-widget.ts';
