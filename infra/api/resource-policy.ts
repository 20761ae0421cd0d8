import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { policyLengthFault } from '../../config/allowlist.ts';

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
