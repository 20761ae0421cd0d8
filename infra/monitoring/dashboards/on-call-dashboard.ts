import { Duration, Stack } from 'aws-cdk-lib';
import { Dashboard, PeriodOverride } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { functions, keys, tables } from './resource-sections.ts';
import { seamQueues } from './seam-section.ts';
import type { DashboardSources } from './section.ts';
import { health, outcomes, partners, refusals } from './traffic-sections.ts';

/**
 * What whoever is on call looks at first. The first screen answers whether it is us, one partner or an appliance; none of
 * it waits for a log query.
 */
export class OnCallDashboard extends Dashboard {
  constructor(scope: Construct, id: string, sources: Omit<DashboardSources, 'region'>) {
    const { stackName, region } = Stack.of(scope);
    super(scope, id, {
      dashboardName: `${stackName}-on-call`,
      defaultInterval: Duration.hours(3),
      // Each widget keeps its own period: that of the error budget is one, whatever stretch of time is shown.
      periodOverride: PeriodOverride.INHERIT,
    });
    for (const section of [health, outcomes, refusals, partners, seamQueues, functions, tables, keys])
      this.addWidgets(...section({ ...sources, region }));
  }
}
