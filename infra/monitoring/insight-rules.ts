import { Stack } from 'aws-cdk-lib';
import { CfnInsightRule } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { requestFields } from '../../lambdas/api/log-events/request-event.ts';
import type { Decision } from '../../lambdas/api/metrics.ts';
import { stageNameOf } from './metrics.ts';

/**
 * The rules that rank companies by requests, each with the decision that it counts. CloudWatch counts from the requests'
 * events; a dimension per company would cost a metric per company.
 */
const contributions = {
  RequestsByCompany: undefined,
  ThrottledByCompany: 'limited',
  FailedByCompany: 'failed',
} as const satisfies Record<string, Decision | undefined>;

type RuleName = keyof typeof contributions;

export class InsightRules extends Construct {
  /** The rules' names in CloudWatch. */
  readonly names: Readonly<Record<RuleName, string>>;

  constructor(scope: Construct, id: string, requests: ILogGroup) {
    super(scope, id);
    const stageName = stageNameOf(this);
    const rules = Object.entries<Decision | undefined>(contributions).map(([name, decision]) => {
      const ruleName = `${stageName}-${name}`;
      const ruleBody = Stack.of(this).toJsonString(ruleOn(requests, decision));
      new CfnInsightRule(this, name, { ruleName, ruleState: 'ENABLED', ruleBody });
      return [name, ruleName];
    });
    this.names = Object.fromEntries(rules);
  }
}

const ruleOn = (requests: ILogGroup, decision: Decision | undefined) => ({
  Schema: { Name: 'CloudWatchLogRule', Version: 1 },
  LogGroupNames: [requests.logGroupName],
  LogFormat: 'JSON',
  Contribution: {
    Keys: [`$.${requestFields.companyId}`],
    Filters: decision === undefined ? [] : [{ Match: `$.${requestFields.decision}`, In: [decision] }],
  },
  AggregateOn: 'Count',
});
