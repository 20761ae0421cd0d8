import { Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnIPSet, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { compileAllowlist, policyLengthFault } from '../../config/allowlist.ts';
import { type Allowlist, allowlistOf, type StageConfig } from '../../config/schema.ts';
import { type ProblemCode, problemBody, problems } from '../../lambdas/api/problems.ts';
import { commonHeaders } from '../../lambdas/api/version.ts';

/** Who passes the resource policy of a stage: registered addresses, or everybody where AWS WAF looks at the address; over TLS. */
export const policyOf = (config: StageConfig): PolicyDocument =>
  allowlistOf(config) === 'waf'
    ? overTls(invocation(Effect.ALLOW))
    : resourcePolicy(compileAllowlist(config.companies), config.resourcePolicyQuota);

/**
 * Lets registered addresses in. It stands literally in the template, because only a change of the template makes a new
 * deployment, and only a deployment puts a changed policy into effect.
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

/** Whether anything of a stage is left to AWS WAF, which is paid by the month. */
export const needsWebAcl = (config: StageConfig): boolean =>
  config.addressLimit !== undefined || allowlistOf(config) !== 'policy';

/**
 * The problem that the gateway response `WAF_FILTERED` tells: AWS WAF does not say by which of its rules it refuses. Where two
 * may refuse, the other one has a response of its own.
 */
export const problemOfWebAcl = (config: StageConfig): ProblemCode =>
  allowlistOf(config) === 'waf' ? 'source-address-not-allowed' : 'throttled';

export type WebAclProps = { readonly config: StageConfig; readonly stage: Stage };

/**
 * What AWS WAF refuses before any function runs: addresses that are in no IP set, and those that send too many requests, as it
 * counts them over the last minute. Nothing is sampled or logged, since requests hold keys.
 */
export class WebAcl extends Construct {
  readonly ipSetArns: readonly string[];

  constructor(scope: Construct, id: string, { config, stage }: WebAclProps) {
    super(scope, id);
    const allowlist = allowlistOf(config);
    const name = `${Stack.of(this).stackName}-${id}`;
    this.ipSetArns = allowlist === 'policy' ? [] : this.#createIpSets(name).map(({ attrArn }) => attrArn);
    const acl = new CfnWebACL(this, 'Acl', {
      // The name that CloudFormation would give begins with the logical id, so that no right could end at the stage.
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
    // The policy opens with the stage's new deployment, and not before AWS WAF refuses.
    stage.node.addDependency(acl);
  }

  /**
   * The registered addresses. They are the operator's to write, at once: CloudFormation writes an IP set only if the template
   * changes it, so what stands here never does.
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

/** How many a stage has: each takes 10,000 blocks of addresses. */
export const ipSetCounts = { IPV4: 3, IPV6: 1 } as const;

const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});

/** Counts alone as long as the resource policy refuses: the IP sets may not be full yet. */
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
 * The refusal of an address that sends too much, where the gateway response words the other one. AWS WAF knows neither the id
 * of a request nor the media type of problems.
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
