import type { Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { StageConfig } from '../../config/schema.ts';
import { functionProblemsOf, requirementsOf } from '../../lambdas/api/chain/requirements.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { type Job, jobs } from '../../lambdas/api/jobs.ts';
import { type TableAction, type TableActions, type TableName, tables } from '../../lambdas/api/tables.ts';
import type { Tables } from '../tables.ts';
import { alarmDefinitions } from './alarms/alarm-definitions.ts';
import { createAlarms } from './alarms/alarms.ts';
import { createOnCallDashboard } from './dashboards/on-call-dashboard.ts';
import { createPartnerDashboard } from './dashboards/partner-dashboard.ts';
import { addInsightRules } from './insight-rules.ts';
import { ownMetricsOf } from './metrics.ts';
import { addSavedQueries, type LogGroups } from './saved-queries.ts';

export type Monitored = {
  readonly config: StageConfig;
  readonly stage: Stage;
  /** By operation. */
  readonly functions: Readonly<Record<string, IFunction>>;
  readonly tables: Tables;
  readonly logGroups: LogGroups;
  /** Runs of the daily watch that failed, and notices of it that did not reach their bus. */
  readonly keyWatch: { readonly errors: IMetric; readonly undelivered: IMetric };
};

/** All that an operator sees of a stage and is told about it. */
export const addMonitoring = (stack: Stack, monitored: Monitored): void => {
  const { config, logGroups } = monitored;
  const { monitoring } = config;
  const own = ownMetricsOf(stack.stackName);
  const sources = { ...monitored, own, monitoring };
  const rows = Object.values<Endpoint>(endpoints);
  addSavedQueries(stack, logGroups);
  createOnCallDashboard(stack, {
    ...sources,
    tableActions: merge([...rows.map(requirementsOf), ...Object.values<Job>(jobs)]),
    reasons: [...new Set(rows.flatMap(functionProblemsOf))],
    alarms: createAlarms(stack, alarmDefinitions(sources), monitoring),
    insightRules: addInsightRules(stack, logGroups.requests),
    lambdaConcurrencyQuota: monitoring.lambdaConcurrencyQuota,
  });
  createPartnerDashboard(
    stack,
    logGroups.requests,
    config.companies.map(({ companyId }) => companyId),
  );
};

/** Without indexes: DynamoDB tells of their use apart from that of their table. */
const merge = (all: readonly { readonly tableActions: TableActions }[]): Partial<Record<TableName, TableAction[]>> =>
  Object.fromEntries(
    (Object.keys(tables) as TableName[]).map((table) => [
      table,
      [...new Set(all.flatMap(({ tableActions }) => tableActions[table] ?? []))],
    ]),
  );
