import type { Resolve } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { createAlarms } from './alarms.ts';
import { createDashboards, type Variables } from './dashboards.ts';
import { samplesOf } from './embedded-metric-format.ts';
import { createInsightRules } from './insight-rules.ts';
import { parseLogQuery, runLogQuery, type Table } from './log-query.ts';
import { createLogStore, logEventOf, objectIn } from './log-store.ts';
import { createMetricStore, type Sample } from './metric-store.ts';
import type { AlarmView, DashboardView } from './views.ts';

/** From `fromMs` up to `toMs`. */
export type Range = { readonly fromMs: number; readonly toMs: number };

export type CloudWatch = ReturnType<typeof createCloudWatch>;

/**
 * What CloudWatch would make of a template's alarms, dashboards, Contributor Insights rules and saved queries, given the
 * metrics and log events of a run. Times are in ms since the epoch and only ever those that are passed in.
 */
export const createCloudWatch = ({ template, resolve }: { template: Template; resolve: Resolve }) => {
  const metricStore = createMetricStore();
  const logStore = createLogStore();
  const insightRules = createInsightRules(template, resolve);
  const sources = { metricStore, insightRules };
  const alarmsIn = createAlarms(template, resolve, sources);
  const dashboardsOf = createDashboards(template, resolve);

  return {
    putMetric: (sample: Sample): void => metricStore.put(sample),

    /** Keeps the event; one in embedded metric format counts as metrics at `atMs`, a malformed one is an error. */
    putLogEvent: (written: { logGroup: string; atMs: number; message: string }): void => {
      const object = objectIn(written.message);
      if (object?._aws !== undefined) samplesOf(object, written.atMs).forEach(metricStore.put);
      const event = logEventOf(written, object);
      logStore.put(event);
      insightRules.put(event);
    },

    /** The answer to a query, such as a saved one, over log groups and those that it names itself (`SOURCE`). */
    queryLogs: (text: string, logGroups: readonly string[], range: Range): Table => {
      const query = parseLogQuery(text);
      return runLogQuery({ ...query, logGroups: [...query.logGroups, ...logGroups] }, logStore, range);
    },

    /** Evaluated once a minute over the range. */
    alarms: (range: Range): AlarmView[] => [...alarmsIn(range).values()],

    dashboards: (range: Range, variables: Variables = {}): DashboardView[] =>
      dashboardsOf({ range, sources, logStore, alarms: alarmsIn(range) }, variables),
  };
};
