import { Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { policyLengthFault } from '../../config/allowlist.ts';
import type { StageConfig } from '../../config/schema.ts';

/**
 * Who reaches the API at all: registered addresses, over TLS. It stands literally in the template, because only a change
 * of the template makes a new deployment, and only a deployment puts a changed policy into effect.
 */
export const resourcePolicy = (allowedCidrs: readonly string[], quota?: number): PolicyDocument => {
  const policy = new PolicyDocument({
    statements: [
      invocation(Effect.ALLOW, { IpAddress: { 'aws:SourceIp': allowedCidrs } }),
      invocation(Effect.DENY, { Bool: { 'aws:SecureTransport': 'false' } }),
    ],
  });
  const fault = policyLengthFault(policy, allowedCidrs.length, quota);
  if (fault) throw new Error(fault);
  return policy;
};

const invocation = (effect: Effect, conditions: Record<string, Record<string, unknown>>) =>
  new PolicyStatement({
    effect,
    principals: [new AnyPrincipal()],
    actions: ['execute-api:Invoke'],
    resources: ['execute-api:/*'],
    conditions,
  });

export type AddressLimitProps = {
  readonly stage: Stage;
  readonly limit: NonNullable<StageConfig['addressLimit']>;
};

/**
 * Refuses an address that sends too many requests, as AWS WAF counts them over the last minute. The gateway response
 * `WAF_FILTERED` words the refusal: this rule is the only one. Nothing is sampled or logged, since requests hold keys.
 */
export class AddressLimit extends Construct {
  constructor(scope: Construct, id: string, { stage, limit }: AddressLimitProps) {
    super(scope, id);
    const unseen = { cloudWatchMetricsEnabled: false, sampledRequestsEnabled: false };
    const acl = new CfnWebACL(this, 'WebAcl', {
      // The name that CloudFormation would give begins with the logical id, so that no right could end at the stage.
      name: `${Stack.of(this).stackName}-AddressLimit`,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: { ...unseen, metricName: 'WebAcl' },
      rules: [
        {
          name: 'RequestsOfAnAddress',
          priority: 0,
          action: { block: {} },
          statement: {
            rateBasedStatement: { aggregateKeyType: 'IP', evaluationWindowSec: 60, limit: limit.requestsPerMinute },
          },
          visibilityConfig: { ...unseen, metricName: 'RequestsOfAnAddress' },
        },
      ],
    });
    new CfnWebACLAssociation(this, 'OfStage', { webAclArn: acl.attrArn, resourceArn: stage.stageArn });
  }
}
