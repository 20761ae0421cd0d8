import { NestedStack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { StageConfig } from '../../config/schema.ts';
import {
  type Consumer,
  consumers,
  defaultUsageMinutes,
  type Job,
  jobs,
} from '../../lambdas/api/background-functions.ts';
import { functionProblemsOf, requirementsOf } from '../../lambdas/api/chain.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { type TableAction, type TableActions, type TableName, tables } from '../../lambdas/api/tables.ts';
import type { FunctionByOperation } from '../functions/endpoint-functions.ts';
import type { LogGroups, Tables } from '../stateful.ts';
import type { AlarmSources } from './alarms/alarm-definition.ts';
import { Alarms, alarmDefinitions, createTopics } from './alarms/alarms.ts';
import { canaryAlarmName } from './alarms/request-alarms.ts';
import { OnCallDashboard } from './dashboards/on-call-dashboard.ts';
import { InsightRules } from './insight-rules.ts';
import { SavedQueries } from './log-queries.ts';
import { ownMetricsOf, stageNameOf } from './metrics.ts';

export type MonitoringProps = Pick<AlarmSources, 'feedPurge' | 'integrations' | 'keyWatch' | 'usageRecorder'> & {
  readonly config: StageConfig;
  /** The stage of the REST API. */
  readonly stage: Stage;
  readonly functions: FunctionByOperation;
  readonly tables: Tables;
  readonly logGroups: LogGroups;
  /** In ALARM while a new version that answers some of the requests fails. */
  readonly canaryAlarm: Alarm;
};

/**
 * The monitoring of a stage: alarms and their recipients, dashboards and saved queries. It is nested in the stage's stack, so
 * that both are deployed, rolled back and deleted together, and each has its own limit of resources. It holds no data.
 */
export class Monitoring extends NestedStack {
  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id, { description: 'The monitoring of the partner API of the stage, and its notifications.' });
    const { monitoring, domain, usageEveryMinutes = defaultUsageMinutes } = props.config;
    const { requests } = props.logGroups;
    const rows = Object.values<Endpoint>(endpoints);
    const sources = {
      ...props,
      monitoring,
      usageEveryMinutes,
      certificateArn: domain?.certificateArn,
      own: ownMetricsOf(stageNameOf(this)),
      tableActions: merge([
        ...rows.map(requirementsOf),
        ...Object.values<Job>(jobs),
        ...Object.values<Consumer>(consumers),
      ]),
    };

    new SavedQueries(this, 'SavedQueries', props.logGroups);
    const insightRules = new InsightRules(this, 'InsightRules', requests);
    const topics = createTopics(this, monitoring);
    const made = { [canaryAlarmName]: props.canaryAlarm };
    const { metric, composite } = new Alarms(this, 'Alarms', alarmDefinitions(sources), {
      topics,
      config: props.config,
      made,
    });
    new OnCallDashboard(this, 'OnCallDashboard', {
      ...sources,
      reasons: [...new Set(rows.flatMap(functionProblemsOf))],
      alarms: [...Object.values(composite), ...Object.values(metric)],
      ruleNames: insightRules.names,
    });
  }
}

/** Merges table actions, without those on indexes, whose use DynamoDB reports separately. */
const merge = (all: readonly { readonly tableActions: TableActions }[]): Partial<Record<TableName, TableAction[]>> =>
  Object.fromEntries(
    (Object.keys(tables) as TableName[]).map((table) => [
      table,
      [...new Set(all.flatMap(({ tableActions }) => tableActions[table] ?? []))],
    ]),
  );
