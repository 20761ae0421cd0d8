import type { Resolve } from '../template/intrinsics.ts';
import type { Template } from '../template/stack.ts';
import { type AlarmView, createAlarms } from './alarms.ts';
import { createDashboards, type DashboardView } from './dashboards.ts';
import { createInsightRules } from './insight-rules.ts';
import { parseLogQuery, runLogQuery, type Table } from './log-query.ts';
import { createLogStore, logEventOf, objectIn, type WrittenEvent } from './log-store.ts';
import { createMetricStore, type MetricDatum, metricDataOf, type TimeRange } from './metric-store.ts';

export type CloudWatch = ReturnType<typeof createCloudWatch>;

/**
 * Evaluates a template's alarms, dashboards, Contributor Insights rules and saved queries as CloudWatch would, given the
 * metrics and log events of a run. Times are in ms since the epoch and always arguments. It supports the features that our
 * templates use, and throws an error that names any other.
 */
export const createCloudWatch = ({ template, resolve }: { template: Template; resolve: Resolve }) => {
  const metricStore = createMetricStore();
  const logStore = createLogStore();
  const insightRules = createInsightRules(template, resolve);
  const alarmsIn = createAlarms(template, resolve, metricStore);
  const dashboardsOf = createDashboards(template, resolve);

  return {
    putMetric: (datum: MetricDatum): void => metricStore.put(datum),

    /** Stores the event. An event in embedded metric format also adds metrics at `atMs`; throws if that format is malformed. */
    putLogEvent: (written: WrittenEvent): void => {
      const object = objectIn(written.message);
      if (object?._aws !== undefined) metricDataOf(object, written.atMs).forEach(metricStore.put);
      const event = logEventOf(written, object);
      logStore.put(event);
      insightRules.put(event);
    },

    /**
     * Returns the result of a query, such as a saved one, over log groups and the groups in the query's `SOURCE`,
     * with at most `limit` rows.
     */
    queryLogs: (text: string, logGroups: readonly string[], range: TimeRange, limit?: number): Table => {
      const query = parseLogQuery(text);
      return runLogQuery({ ...query, logGroups: [...query.logGroups, ...logGroups] }, logStore, range, limit);
    },

    /** Returns the alarms, evaluated once a minute over the range. */
    alarms: (range: TimeRange): AlarmView[] => [...alarmsIn(range).values()],

    dashboards: (range: TimeRange): DashboardView[] =>
      dashboardsOf({ range, metricStore, insightRules, logStore, alarms: alarmsIn(range) }),
  };
};
