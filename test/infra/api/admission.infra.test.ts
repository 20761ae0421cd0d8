import { describe, expect, test } from 'vitest';
import { defaultPolicyQuota, policyLength } from '../../../config/allowlist.ts';
import type { Company } from '../../../config/company.ts';
import { loadStageConfig } from '../../../config/load.ts';
import { stageConfig } from '../../../config/schema.ts';
import { resourcePolicy } from '../../../infra/api/admission.ts';
import {
  fullConfig,
  resourcesOf,
  stackName,
  synthesize,
  type Template,
  templateOf,
  templateOfStage,
  theResource,
} from '../synthesized.ts';

describe('resource policy', () => {
  describe('the resource policy', () => {
    const statements = async () => {
      const [, { Properties }] = theResource(await templateOfStage('example'), 'AWS::ApiGateway::RestApi');
      return Properties.Policy.Statement;
    };
    const invocation = { Principal: { AWS: '*' }, Action: 'execute-api:Invoke', Resource: 'execute-api:/*' };

    test('rule 9: denies plain HTTP to everybody', async () => {
      expect((await statements()).filter(({ Effect }: { Effect: string }) => Effect === 'Deny')).toEqual([
        { Effect: 'Deny', ...invocation, Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      ]);
    });

    test('rule 11: is literal: it allows registered addresses, and nothing else', async () => {
      expect((await statements()).filter(({ Effect }: { Effect: string }) => Effect === 'Allow')).toEqual([
        {
          Effect: 'Allow',
          ...invocation,
          Condition: {
            IpAddress: {
              'aws:SourceIp': [
                '192.0.2.0/28',
                '198.51.100.7/32',
                '203.0.113.16/29',
                '2001:db8:1::/48',
                '2001:db8:2:1::25/128',
              ],
            },
          },
        },
      ]);
    });

    test('rule 11: allows a single address, written as a list', () => {
      expect(resourcePolicy(['192.0.2.1/32']).toJSON().Statement[0].Condition.IpAddress).toEqual({
        'aws:SourceIp': ['192.0.2.1/32'],
      });
    });

    test('is refused above API Gateway’s length limit, with the numbers and the remedy', () => {
      const most = longestAllowed();
      const length = policyLength(resourcePolicy(addresses(most)));
      expect(most).toBeGreaterThan(350);
      expect(length).toBeLessThanOrEqual(defaultPolicyQuota);
      expect(() => resourcePolicy(addresses(most + 1))).toThrow(
        `The resource policy for ${most + 1} CIDR blocks (already merged) has ${length + ',"198.51.101.000/32"'.length} ` +
          "characters; the quota of API Gateway is 8192. Register fewer or wider blocks, or ask AWS to raise the account's quota and write it " +
          'as resourcePolicyQuota in the configuration, or use AWS WAF for the allowlist, which holds tens of thousands of blocks: docs/allowlist.md.',
      );
    });

    test('may be longer if the account’s quota is higher', () => {
      const most = longestAllowed();
      const { length } = JSON.stringify(resourcePolicy(addresses(most + 1), 16_384));
      expect(length).toBeGreaterThan(JSON.stringify(resourcePolicy(addresses(most))).length);
      expect(() => resourcePolicy(addresses(2 * most + 50), 16_384)).toThrow('the quota of API Gateway is 16384.');
    });

    test('has the same measured length in the template and as read from API Gateway', () => {
      const text = JSON.stringify(resourcePolicy(addresses(3)));
      const stored = text.replaceAll(
        'execute-api:/*',
        'arn:aws-us-gov:execute-api:us-gov-west-1:444455556666:a1b2c3d4e5/*',
      );
      expect(policyLength(JSON.parse(stored))).toBe(stored.length);
      expect(policyLength(JSON.parse(text))).toBe(stored.length);
    });

    test('fails the synth only if the merged blocks are still too many', async () => {
      const withCidrs = (allowedCidrs: string[]) => {
        const config = loadStageConfig('example');
        const [first, ...others] = config.companies as [Company, ...Company[]];
        return synthesize({ ...config, companies: [{ ...first, allowedCidrs }, ...others] });
      };
      const neighbours = addresses(1024);
      await expect(withCidrs(neighbours.filter((_, i) => i % 2 === 0))).rejects.toThrow(
        /for \d+ CIDR blocks.* use AWS WAF/,
      );
      const [, { Properties }] = theResource(await withCidrs(neighbours), 'AWS::ApiGateway::RestApi');
      expect(Properties.Policy.Statement[0].Condition.IpAddress['aws:SourceIp']).toContain('198.51.100.0/22');
    });
  });

  const addresses = (count: number) =>
    Array.from({ length: count }, (_, i) => `198.51.${100 + (i >> 8)}.${i & 255}/32`);

  /** The largest number of addresses whose policy is not refused. */
  const longestAllowed = () => {
    let [allowed, refused] = [0, 1000];
    while (refused - allowed > 1) {
      const count = Math.floor((allowed + refused) / 2);
      if (isTaken(addresses(count))) allowed = count;
      else refused = count;
    }
    return allowed;
  };

  const isTaken = (cidrs: string[]) => {
    try {
      return Boolean(resourcePolicy(cidrs));
    } catch {
      return false;
    }
  };
});

describe('AWS WAF', () => {
  const example = loadStageConfig('example');
  const addressLimit = { requestsPerMinute: 1200 };
  const only = (template: Template, type: string) => theResource(template, type)[1].Properties;

  test('a stage that does not need a web ACL has none, since it costs money', async () => {
    const template = await templateOfStage('example');
    expect(Object.values(template.Resources).filter(({ Type }) => Type.startsWith('AWS::WAFv2'))).toEqual([]);
  });

  test('inspects requests to the API Gateway stage, and samples none', async () => {
    const template = await templateOf(fullConfig);
    const [aclId, acl] = theResource(template, 'AWS::WAFv2::WebACL');
    const { WebACLArn, ResourceArn } = only(template, 'AWS::WAFv2::WebACLAssociation');
    const [stageId] = theResource(template, 'AWS::ApiGateway::Stage');
    expect(WebACLArn).toEqual({ 'Fn::GetAtt': [aclId, 'Arn'] });
    expect(JSON.stringify(ResourceArn)).toContain(`"Ref":"${stageId}"`);
    const visible = [acl.Properties, ...acl.Properties.Rules].map(({ VisibilityConfig }) => VisibilityConfig);
    expect(visible.map(({ SampledRequestsEnabled }) => SampledRequestsEnabled)).toEqual([false, false, false]);
  });

  test('rule 11: refuses every address in no IP set', async () => {
    const template = await templateOf({ ...example, allowlist: 'waf' });
    const ipSets = resourcesOf(template, 'AWS::WAFv2::IPSet');
    const statements = ipSets.map(([id]) => ({ IPSetReferenceStatement: { Arn: { 'Fn::GetAtt': [id, 'Arn'] } } }));
    expect(only(template, 'AWS::WAFv2::WebACL').Rules).toMatchObject([
      {
        Action: { Block: {} },
        Statement: { NotStatement: { Statement: { OrStatement: { Statements: statements } } } },
      },
    ]);
    expect(ipSets.map(([, { Properties }]) => Properties.IPAddressVersion)).toEqual(['IPV4', 'IPV4', 'IPV4', 'IPV6']);
  });

  test('rule 9: leaves to the policy to require TLS, and nothing else', async () => {
    const template = await templateOf({ ...example, allowlist: 'waf' });
    const [allowed, denied] = only(template, 'AWS::ApiGateway::RestApi').Policy.Statement;
    expect(allowed).toMatchObject({ Effect: 'Allow', Principal: { AWS: '*' } });
    expect(allowed).not.toHaveProperty('Condition');
    expect(denied).toMatchObject({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } });
  });

  test('a template changes no IP set, whatever addresses are registered; operators write them', async () => {
    const [first] = example.companies as [Company, ...Company[]];
    const setsWith = async (allowedCidrs: string[]) =>
      resourcesOf(
        await templateOf({ ...example, allowlist: 'waf', companies: [{ ...first, allowedCidrs }] }),
        'AWS::WAFv2::IPSet',
      );
    expect(await setsWith(['198.51.100.0/24'])).toEqual(await setsWith(['192.0.2.7/32', '2001:db8::/48']));
  });

  test('both operators’ roles read its IP sets, one writes them, and no other set is accessible', async () => {
    const template = await templateOf({ ...example, allowlist: 'waf' });
    const arns = resourcesOf(template, 'AWS::WAFv2::IPSet').map(([id]) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
    const ofWaf = (from: Template, role: string) =>
      resourcesOf(from, 'AWS::IAM::Role')
        .filter(([, { Properties }]) => Properties.RoleName === `${stackName}-${role}`)
        .flatMap(
          ([
            ,
            {
              Properties: { Policies, ManagedPolicyArns },
            },
          ]) => [...Policies, ...ManagedPolicyArns.map(({ Ref }: { Ref: string }) => from.Resources[Ref]?.Properties)],
        )
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
        .filter(({ Action }) => String(Action).includes('wafv2'))
        .map(({ Action, Resource }) => [Action, Resource]);
    expect(ofWaf(template, 'reader')).toEqual([['wafv2:GetIPSet', arns]]);
    expect(ofWaf(template, 'operator')).toEqual([
      ['wafv2:UpdateIPSet', arns],
      ['wafv2:GetIPSet', arns],
    ]);
    expect(ofWaf(await templateOfStage('example'), 'operator')).toEqual([]);
  });

  test('until the IP sets are full, the policy refuses and the web ACL only counts', async () => {
    const template = await templateOf({ ...example, allowlist: 'prepare-waf' });
    expect(only(template, 'AWS::WAFv2::WebACL').Rules).toMatchObject([{ Action: { Count: {} } }]);
    const { Policy } = only(await templateOfStage('example'), 'AWS::ApiGateway::RestApi');
    expect(only(template, 'AWS::ApiGateway::RestApi').Policy).toEqual(Policy);
  });

  test('refuses before the stage’s deployment opens the policy', async () => {
    const template = await templateOf({ ...example, allowlist: 'waf' });
    const [aclId] = theResource(template, 'AWS::WAFv2::WebACL');
    const [, stage] = theResource(template, 'AWS::ApiGateway::Stage');
    expect(stage.DependsOn).toContain(aclId);
  });

  test('answers an address that sends too much with 429, by a custom response if it has two rules', async () => {
    const rate = { AggregateKeyType: 'IP', EvaluationWindowSec: 60, Limit: 1200 };
    const alone = await templateOf({ ...example, addressLimit });
    expect(only(alone, 'AWS::WAFv2::WebACL').Rules).toMatchObject([
      { Action: { Block: {} }, Statement: { RateBasedStatement: rate } },
    ]);
    const { Rules, CustomResponseBodies } = only(
      await templateOf({ ...example, addressLimit, allowlist: 'waf' }),
      'AWS::WAFv2::WebACL',
    );
    const { ResponseCode, CustomResponseBodyKey, ResponseHeaders } = Rules[1].Action.Block.CustomResponse;
    expect(Rules[1].Statement.RateBasedStatement).toEqual(rate);
    expect(ResponseCode).toBe(429);
    expect(ResponseHeaders).toContainEqual({ Name: 'Retry-After', Value: '1' });
    expect(JSON.parse(CustomResponseBodies[CustomResponseBodyKey].Content)).toMatchObject({
      status: 429,
      code: 'throttled',
    });
  });

  test.each([
    ['the policy', { addressLimit }, 'throttled'],
    ['the policy until the IP sets are full', { addressLimit, allowlist: 'prepare-waf' }, 'throttled'],
    ['AWS WAF', { addressLimit, allowlist: 'waf' }, 'source-address-not-allowed'],
  ] as const)(
    'where %s refuses unregistered addresses, WAF_FILTERED reports the matching problem',
    async (_, options, code) => {
      const template = await templateOf({ ...example, ...options });
      const [, response] =
        resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').find(
          ([, { Properties }]) => Properties.ResponseType === 'WAF_FILTERED',
        ) ?? [];
      expect(JSON.parse(response?.Properties.ResponseTemplates['application/json']).code).toBe(code);
    },
  );

  test('a limit that AWS WAF does not support is an error of the configuration', () => {
    const { error } = stageConfig.safeParse({ ...example, addressLimit: { requestsPerMinute: 9 } });
    expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['addressLimit.requestsPerMinute', 'is below 10, the minimum of AWS WAF; write a larger number.'],
    ]);
  });
});
