import type { Stack } from 'aws-cdk-lib';
import { CfnInsightRule } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Decision } from '../../lambdas/api/metrics.ts';
import { requestFields } from '../../lambdas/api/request-event.ts';

/**
 * Who contributes most, counted by CloudWatch from the requests' events: what a dimension per company would answer at the
 * price of a metric per company.
 */
const contributions = {
  RequestsByCompany: undefined,
  ThrottledByCompany: 'limited',
  FailedByCompany: 'failed',
} as const satisfies Record<string, Decision | undefined>;

export type InsightRuleNames = Readonly<Record<keyof typeof contributions, string>>;

export const addInsightRules = (stack: Stack, requests: ILogGroup): InsightRuleNames =>
  Object.fromEntries(
    Object.entries<Decision | undefined>(contributions).map(([name, decision]) => {
      const ruleName = `${stack.stackName}-${name}`;
      const body = {
        Schema: { Name: 'CloudWatchLogRule', Version: 1 },
        LogGroupNames: [requests.logGroupName],
        LogFormat: 'JSON',
        Contribution: {
          Keys: [`$.${requestFields.companyId}`],
          Filters: decision === undefined ? [] : [{ Match: `$.${requestFields.decision}`, In: [decision] }],
        },
        AggregateOn: 'Count',
      };
      new CfnInsightRule(stack, name, { ruleName, ruleState: 'ENABLED', ruleBody: stack.toJsonString(body) });
      return [name, ruleName];
    }),
  ) as InsightRuleNames;
