import { Duration, type Stack } from 'aws-cdk-lib';
import { Dashboard, PeriodOverride } from 'aws-cdk-lib/aws-cloudwatch';
import { functions, keys, tables } from './resource-sections.ts';
import type { DashboardSources } from './section.ts';
import { health, outcomes, partners, refusals } from './traffic-sections.ts';

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
