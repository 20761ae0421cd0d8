import { Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnIPSet, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { compileAllowlist, policyLengthFault } from '../../config/allowlist.ts';
import { type Allowlist, allowlistOf, type StageConfig } from '../../config/schema.ts';
import { type ProblemCode, problemBody, problems } from '../../lambdas/api/problems.ts';
import { commonHeaders } from '../../lambdas/api/version.ts';

/**
 * Returns the resource policy of a stage. It admits registered addresses, or every address where AWS WAF checks them, and only
 * over TLS.
 */
export const policyOf = (config: StageConfig): PolicyDocument =>
  allowlistOf(config) === 'waf'
    ? overTls(invocation(Effect.ALLOW))
    : resourcePolicy(compileAllowlist(config.companies), config.resourcePolicyQuota);

/**
 * Returns a resource policy that admits registered addresses. The addresses are literals in the template, because only a
 * changed template creates a new deployment, and a changed policy takes effect only with a deployment. Throws if the policy is
 * too long.
 */
export const resourcePolicy = (allowedCidrs: readonly string[], quota?: number): PolicyDocument => {
  const policy = overTls(invocation(Effect.ALLOW, { IpAddress: { 'aws:SourceIp': allowedCidrs } }));
  const fault = policyLengthFault(policy, allowedCidrs.length, quota);
  if (fault) throw new Error(fault);
  return policy;
};

const overTls = (allowed: PolicyStatement) =>
  new PolicyDocument({
    statements: [allowed, invocation(Effect.DENY, { Bool: { 'aws:SecureTransport': 'false' } })],
  });

const invocation = (effect: Effect, conditions?: Record<string, Record<string, unknown>>) =>
  new PolicyStatement({
    effect,
    principals: [new AnyPrincipal()],
    actions: ['execute-api:Invoke'],
    resources: ['execute-api:/*'],
    ...(conditions && { conditions }),
  });

/** Returns whether a stage uses AWS WAF, which has a monthly price. */
export const needsWebAcl = (config: StageConfig): boolean =>
  config.addressLimit !== undefined || allowlistOf(config) !== 'policy';

/**
 * Returns the problem of the gateway response `WAF_FILTERED`. AWS WAF does not report which of its rules blocked a request;
 * where two rules can block, the other one has a custom response.
 */
export const problemOfWebAcl = (config: StageConfig): ProblemCode =>
  allowlistOf(config) === 'waf' ? 'source-address-not-allowed' : 'throttled';

export type WebAclProps = { readonly config: StageConfig; readonly stage: Stage };

/**
 * A web ACL that blocks requests before any function runs: those from addresses in no IP set, and those from addresses that
 * sent too many requests within the last minute, as AWS WAF counts them. It neither samples nor logs, since requests contain
 * keys.
 */
export class WebAcl extends Construct {
  readonly ipSetArns: readonly string[];

  constructor(scope: Construct, id: string, { config, stage }: WebAclProps) {
    super(scope, id);
    const allowlist = allowlistOf(config);
    const name = `${Stack.of(this).stackName}-${id}`;
    this.ipSetArns = allowlist === 'policy' ? [] : this.#createIpSets(name).map(({ attrArn }) => attrArn);
    const acl = new CfnWebACL(this, 'Acl', {
      // A generated name would begin with the logical id, so rights could not be limited to the stage by name.
      name,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('WebAcl'),
      ...(allowlist === 'waf' && config.addressLimit && { customResponseBodies: { Throttled: throttled.body } }),
      rules: [
        ...(allowlist === 'policy' ? [] : [unregisteredAddress(this.ipSetArns, allowlist)]),
        ...(config.addressLimit ? [requestsOfAnAddress(config.addressLimit, allowlist)] : []),
      ],
    });
    new CfnWebACLAssociation(this, 'OfStage', { webAclArn: acl.attrArn, resourceArn: stage.stageArn });
    // The stage's new deployment opens the resource policy, so it must wait until AWS WAF blocks.
    stage.node.addDependency(acl);
  }

  /**
   * Creates the IP sets, without addresses. Operators write the registered addresses, with immediate effect. CloudFormation
   * writes an IP set only if the template changes it, so this definition must never change.
   */
  #createIpSets(name: string): CfnIPSet[] {
    return Object.entries(ipSetCounts).flatMap(([ipAddressVersion, count]) =>
      Array.from({ length: count }, (_, index) => {
        const id = `Addresses${ipAddressVersion}x${index + 1}`;
        return new CfnIPSet(this, id, { name: `${name}-${id}`, scope: 'REGIONAL', ipAddressVersion, addresses: [] });
      }),
    );
  }
}

/** The number of IP sets of a stage. Each holds up to 10,000 address blocks. */
const ipSetCounts = { IPV4: 3, IPV6: 1 } as const;

const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});

/** Only counts while the resource policy has the allowlist, since the IP sets may not be full yet. */
const unregisteredAddress = (ipSetArns: readonly string[], allowlist: Allowlist): CfnWebACL.RuleProperty => ({
  name: 'UnregisteredAddress',
  priority: 0,
  action: allowlist === 'waf' ? { block: {} } : { count: {} },
  statement: {
    notStatement: {
      statement: {
        orStatement: { statements: ipSetArns.map((arn) => ({ ipSetReferenceStatement: { arn } })) },
      },
    },
  },
  visibilityConfig: visibility('UnregisteredAddress'),
});

const requestsOfAnAddress = (
  { requestsPerMinute }: NonNullable<StageConfig['addressLimit']>,
  allowlist: Allowlist,
): CfnWebACL.RuleProperty => ({
  name: 'RequestsOfAnAddress',
  priority: 1,
  action: { block: allowlist === 'waf' ? { customResponse: throttled.response } : {} },
  statement: { rateBasedStatement: { aggregateKeyType: 'IP', evaluationWindowSec: 60, limit: requestsPerMinute } },
  visibilityConfig: visibility('RequestsOfAnAddress'),
});

const { requestId: _, ...throttledBody } = problemBody('throttled', '');
const { 'x-request-id': __, ...headers } = commonHeaders('');

/**
 * The response to an address that sends too many requests, where the gateway response `WAF_FILTERED` answers unregistered
 * addresses. AWS WAF can insert no request id and does not support the media type of problems.
 */
const throttled = {
  body: { contentType: 'APPLICATION_JSON', content: JSON.stringify(throttledBody) },
  response: {
    responseCode: problems.throttled.status,
    customResponseBodyKey: 'Throttled',
    responseHeaders: Object.entries({ ...headers, ...problems.throttled.headers }).map(([name, value]) => ({
      name,
      value,
    })),
  },
};
