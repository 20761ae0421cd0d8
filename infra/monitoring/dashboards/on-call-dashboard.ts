import { Duration, type Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { Dashboard, type IWidget, PeriodOverride } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ProblemCode } from '../../../lambdas/api/problems.ts';
import type { TableActions } from '../../../lambdas/api/tables.ts';
import type { Tables } from '../../tables.ts';
import type { Alarms } from '../alarms/alarms.ts';
import type { InsightRuleNames } from '../insight-rules.ts';
import type { OwnMetric } from '../metrics.ts';
import { functions, keys, tables } from './resource-sections.ts';
import { health, outcomes, partners, refusals } from './traffic-sections.ts';

export type DashboardSources = {
  readonly stage: Stage;
  /** By operation. */
  readonly functions: Readonly<Record<string, IFunction>>;
  readonly tables: Tables;
  /** How the functions use the tables, all together. */
  readonly tableActions: TableActions;
  /** Every problem that a function can answer. */
  readonly reasons: readonly ProblemCode[];
  readonly own: OwnMetric;
  readonly alarms: Alarms;
  readonly insightRules: InsightRuleNames;
  readonly lambdaConcurrencyQuota: number;
};

/** A row of widgets that answer one question. */
export type Section = (sources: DashboardSources, stack: Stack) => IWidget[];

/**
 * What whoever is on call looks at first. The first screen answers whether it is us, one partner or an appliance; none of
 * it waits for a log query.
 */
export const createOnCallDashboard = (stack: Stack, sources: DashboardSources): void => {
  const dashboard = new Dashboard(stack, 'OnCallDashboard', {
    dashboardName: `${stack.stackName}-on-call`,
    defaultInterval: Duration.hours(3),
    // Each widget keeps its own period: a budget of 30 days is one, whatever stretch of time is shown.
    periodOverride: PeriodOverride.INHERIT,
  });
  for (const section of [health, outcomes, refusals, partners, functions, tables, keys])
    dashboard.addWidgets(...section(sources, stack));
};
