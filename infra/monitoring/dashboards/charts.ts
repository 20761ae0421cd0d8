import { Duration } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import {
  type AlarmBase,
  ConcreteWidget,
  GraphWidget,
  type GraphWidgetProps,
  type IMetric,
  type IWidget,
  MathExpression,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { StageConfig } from '../../../config/schema.ts';
import type { ProblemCode } from '../../../lambdas/api/problems.ts';
import type { TableActions } from '../../../lambdas/api/tables.ts';
import type { FunctionByOperation } from '../../functions/endpoint-functions.ts';
import type { Tables } from '../../stateful.ts';
import type { IntegrationSources } from '../alarms/alarm-definition.ts';
import type { InsightRules } from '../insight-rules.ts';
import type { OwnMetric } from '../metrics.ts';

/** A dashboard is 24 columns wide, which gives three charts per row. */
export const chartWidth = 8;
export const chartHeight = 6;

/** One colour for one meaning, on every chart. */
export const colors = {
  allowed: '#69ae34',
  refused: '#e3b505',
  limited: '#f2841a',
  failed: '#d13212',
  neutral: '#1f77b4',
  secondary: '#7f8c9b',
} as const;

/** Colours for lines without one of these meanings. People with red-green colour blindness can distinguish them. */
export const palette = [
  ...['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442', '#882255', '#44aa99', '#332288'],
  ...['#999933', '#117733', '#aa4499', '#ddcc77'],
] as const;

/** Returns a graph over time, one of three per row. */
export const chart = (title: string, left: readonly IMetric[], props: GraphWidgetProps = {}): GraphWidget =>
  new GraphWidget({
    title,
    left: [...left],
    leftYAxis: { min: 0, showUnits: false },
    width: chartWidth,
    height: chartHeight,
    ...props,
  });

/**
 * Returns one line that combines metrics over five minutes. The metrics' ids contain the label, so that they differ from those
 * of other lines.
 */
export const combined = (operation: 'MAX' | 'SUM', label: string, metrics: readonly IMetric[], color?: string) => {
  const prefix = `line${label.replaceAll(/\W/g, '')}x`;
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`${prefix}${index}`, metric]));
  const expression = `${operation}([${Object.keys(usingMetrics).join(', ')}])`;
  return new MathExpression({ label, expression, usingMetrics, period: Duration.minutes(5), ...(color && { color }) });
};

/** Returns the 50th, 90th and 99th percentile of a metric, each with its label. */
export const percentilesOf = (metric: { with: (options: object) => IMetric }): IMetric[] =>
  ([50, 90, 99] as const).map((share) => metric.with({ statistic: Stats.percentile(share), label: `p${share}` }));

type ContributorsProps = { readonly title: string; readonly ruleName: string; readonly region: string };

/** The ten largest contributors of a Contributor Insights rule, over time. The CDK has no widget for them. */
export class ContributorsWidget extends ConcreteWidget {
  readonly #props: ContributorsProps;

  constructor(props: ContributorsProps) {
    super(chartWidth, chartHeight);
    this.#props = props;
  }

  override toJson(): object[] {
    const { title, ruleName, region } = this.#props;
    const properties = {
      title,
      region,
      period: 300,
      view: 'timeSeries',
      stacked: true,
      insightRule: { ruleName, maxContributorCount: 10, orderBy: 'Sum' },
    };
    return [{ type: 'metric', width: this.width, height: this.height, x: this.x, y: this.y, properties }];
  }
}

/** What the sections of a dashboard show. */
export type DashboardSources = {
  readonly region: string;
  readonly stage: Stage;
  readonly functions: FunctionByOperation;
  readonly tables: Tables;
  readonly integrations: IntegrationSources;
  /** The actions of all functions on each table. */
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
