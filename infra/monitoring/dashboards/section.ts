import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import type { AlarmBase, IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { StageConfig } from '../../../config/schema.ts';
import type { ProblemCode } from '../../../lambdas/api/problems.ts';
import type { TableActions } from '../../../lambdas/api/tables.ts';
import type { FunctionByOperation } from '../../functions/endpoint-functions.ts';
import type { Tables } from '../../retained.ts';
import type { SeamSources } from '../alarms/alarm-definition.ts';
import type { InsightRules } from '../insight-rules.ts';
import type { OwnMetric } from '../metrics.ts';

/** What the sections of a dashboard show. */
export type DashboardSources = {
  readonly region: string;
  readonly stage: Stage;
  readonly functions: FunctionByOperation;
  readonly tables: Tables;
  readonly seams: SeamSources;
  /** How the functions use the tables, all together. */
  readonly tableActions: TableActions;
  /** Every problem that a function can answer. */
  readonly reasons: readonly ProblemCode[];
  readonly own: OwnMetric;
  /** Alarms in the order in which they are shown. */
  readonly alarms: readonly AlarmBase[];
  readonly ruleNames: InsightRules['names'];
  readonly monitoring: StageConfig['monitoring'];
};

/** A row of widgets that answer one question. */
export type Section = (sources: DashboardSources) => IWidget[];
