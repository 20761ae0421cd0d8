import type { PolicyDocument } from '../iam/iam-policy.ts';
import { compileResourcePolicy, type ResourcePolicy } from '../iam/resource-access.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Stack } from '../template/template.ts';
import { busArn } from './event-bus.ts';

type BusPolicyProperties = {
  readonly EventBusName?: string;
  readonly Statement: PolicyDocument['Statement'];
};

const knownProperties = ['EventBusName', 'Statement', 'StatementId'];

/** Compiles the policies of buses to decisions, by the ARN of each bus that has one. */
export const compileBusPolicies = (
  { template, environment }: Stack,
  resolve: Resolve,
): ReadonlyMap<string, ResourcePolicy> => {
  const policies = readResources<BusPolicyProperties>(
    template,
    resolve,
    'AWS::Events::EventBusPolicy',
    knownProperties,
  ).map(({ EventBusName = 'default', Statement }) => ({ arn: busArn(environment, EventBusName), Statement }));
  return new Map(
    policies.map(({ arn }) => [
      arn,
      compileResourcePolicy(
        policies.filter((each) => each.arn === arn).map(({ Statement }) => ({ Statement })),
        environment.accountId,
      ),
    ]),
  );
};
