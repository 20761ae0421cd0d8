import type { Resolve } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import type { AlarmView } from './alarms/alarm-view.ts';
import { createAlarms } from './alarms/alarms.ts';
import { createInsightRules } from './contributors/insight-rules.ts';
import type { DashboardView } from './dashboards/dashboard-view.ts';
import { createDashboards, type Variables } from './dashboards/dashboards.ts';
import { parseLogQuery, runLogQuery, type Table } from './logs/log-query.ts';
import { createLogStore, logEventOf, objectIn, type WrittenEvent } from './logs/log-store.ts';
import { metricDataOf } from './metrics/embedded-metric-format.ts';
import { createMetricStore, type MetricDatum } from './metrics/metric-store.ts';
import type { TimeRange } from './metrics/time-series.ts';

export type CloudWatch = ReturnType<typeof createCloudWatch>;

/**
 * Computes what CloudWatch would make of a template's alarms, dashboards, Contributor Insights rules and saved queries, given
 * the metrics and log events of a run. Times are in ms since the epoch and only ever those that are passed in.
 */
export const createCloudWatch = ({ template, resolve }: { template: Template; resolve: Resolve }) => {
  const accountId = resolve<string>({ Ref: 'AWS::AccountId' });
  const metricStore = createMetricStore();
  const logStore = createLogStore();
  const insightRules = createInsightRules(template, resolve);
  const sources = { metricStore, insightRules };
  const alarmsIn = createAlarms(template, resolve, sources);
  const dashboardsOf = createDashboards(template, resolve);

  return {
    putMetric: (datum: MetricDatum): void => metricStore.put(datum),

    /** Keeps the event; one in embedded metric format counts as metrics at `atMs`, a malformed one is an error. */
    putLogEvent: (written: Omit<WrittenEvent, 'accountId'>): void => {
      const object = objectIn(written.message);
      if (object?._aws !== undefined) metricDataOf(object, written.atMs).forEach(metricStore.put);
      const event = logEventOf({ accountId, ...written }, object);
      logStore.put(event);
      insightRules.put(event);
    },

    /** The answer to a query, such as a saved one, over log groups and those that it names itself (`SOURCE`). */
    queryLogs: (text: string, logGroups: readonly string[], range: TimeRange): Table => {
      const query = parseLogQuery(text);
      return runLogQuery({ ...query, logGroups: [...query.logGroups, ...logGroups] }, logStore, range);
    },

    /** Evaluated once a minute over the range. */
    alarms: (range: TimeRange): AlarmView[] => [...alarmsIn(range).values()],

    dashboards: (range: TimeRange, variables: Variables = {}): DashboardView[] =>
      dashboardsOf({ range, sources, logStore, alarms: alarmsIn(range) }, variables),
  };
};
