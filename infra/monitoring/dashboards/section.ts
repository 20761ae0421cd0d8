import type { Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ProblemCode } from '../../../lambdas/api/problems.ts';
import type { TableActions } from '../../../lambdas/api/tables.ts';
import type { Tables } from '../../tables.ts';
import type { Alarms } from '../alarms/alarms.ts';
import type { InsightRuleNames } from '../insight-rules.ts';
import type { OwnMetric } from '../metrics.ts';

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
