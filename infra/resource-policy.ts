import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** API Gateway's quota for the length of a resource policy. */
const maximumLength = 8192;

/**
 * Who reaches the API at all: registered addresses, over TLS. It stands literally in the template, because only a change
 * of the template makes a new deployment, and only a deployment puts a changed policy into effect.
 */
export const resourcePolicy = (allowedCidrs: readonly string[]): PolicyDocument => {
  const policy = new PolicyDocument({
    statements: [
      invocation(Effect.ALLOW, { IpAddress: { 'aws:SourceIp': allowedCidrs } }),
      invocation(Effect.DENY, { Bool: { 'aws:SecureTransport': 'false' } }),
    ],
  });
  const { length } = JSON.stringify(policy.toJSON());
  if (length > maximumLength)
    throw new Error(
      `The resource policy for ${allowedCidrs.length} CIDR blocks has ${length} characters; API Gateway takes ` +
        `${maximumLength}. Register fewer or wider blocks, or move the allowlist to an AWS WAF IP set, which holds 10,000.`,
    );
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
