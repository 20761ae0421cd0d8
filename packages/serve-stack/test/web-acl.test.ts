import { GetIPSetCommand, UpdateIPSetCommand, WAFV2Client } from '@aws-sdk/client-wafv2';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiRequest } from '../src/gateway/exchange.ts';
import { compileWebAcl } from '../src/gateway/web-acl.ts';
import { createAccessKeys, credentialsOfPrincipals } from '../src/iam/principals.ts';
import { readIpSets, startIpSetService } from '../src/services/ip-set-service.ts';
import { createResolver } from '../src/template/intrinsics.ts';
import { defaultEnvironment, type Resource } from '../src/template/stack.ts';
import { stackOf } from './fixture.ts';

const ipSet = (version: string, Addresses: readonly string[] = []): Resource => ({
  Type: 'AWS::WAFv2::IPSet',
  Properties: { Name: `set-${version}`, Scope: 'REGIONAL', IPAddressVersion: version, Addresses },
});

const refersTo = (id: string) => ({ IPSetReferenceStatement: { Arn: { 'Fn::GetAtt': [id, 'Arn'] } } });

const unregistered = { NotStatement: { Statement: { OrStatement: { Statements: [refersTo('V4'), refersTo('V6')] } } } };

type Rule = { readonly Action: object; readonly Statement: object };

const stackWith = (rules: readonly Rule[], { aclProperties = {}, stage = 'v1', first = [] as string[] } = {}) =>
  stackOf({
    V4: ipSet('IPV4', first),
    V6: ipSet('IPV6'),
    Acl: {
      Type: 'AWS::WAFv2::WebACL',
      Properties: {
        Name: 'acl',
        Scope: 'REGIONAL',
        DefaultAction: { Allow: {} },
        VisibilityConfig: {},
        CustomResponseBodies: { TooMany: { ContentType: 'APPLICATION_JSON', Content: '{"code":"throttled"}' } },
        Rules: rules.map((rule, Priority) => ({ Name: `rule ${Priority}`, Priority, VisibilityConfig: {}, ...rule })),
        ...aclProperties,
      },
    },
    OfStage: {
      Type: 'AWS::WAFv2::WebACLAssociation',
      Properties: {
        WebACLArn: { 'Fn::GetAtt': ['Acl', 'Arn'] },
        ResourceArn: `arn:aws:apigateway:${defaultEnvironment.region}::/restapis/local/stages/${stage}`,
      },
    },
  });

const accessKeys = createAccessKeys();
const service = await startIpSetService({ environment: defaultEnvironment, accessKeys });
afterAll(service.close);

const clientAs = (principal?: string) =>
  new WAFV2Client({
    endpoint: service.endpoint,
    region: defaultEnvironment.region,
    credentials: credentialsOfPrincipals(defaultEnvironment, accessKeys)(principal),
    maxAttempts: 1,
  });
const client = clientAs();
const setOf = (version: string) => ({
  Name: `set-${version}`,
  Id: version === 'IPV4' ? 'V4' : 'V6',
  Scope: 'REGIONAL' as const,
});
const write = async (version: string, Addresses: string[]) => {
  const { LockToken } = await client.send(new GetIPSetCommand(setOf(version)));
  return client.send(new UpdateIPSetCommand({ ...setOf(version), Addresses, LockToken }));
};

const serve = (...parameters: Parameters<typeof stackWith>) => {
  const stack = stackWith(...parameters);
  const resolve = createResolver(stack);
  service.define(readIpSets(stack, resolve));
  return compileWebAcl(stack, resolve, { stageName: 'v1', isInIpSet: service.holds });
};

const from = (sourceIp: string, arrivedAtMs = 0) => ({ sourceIp, arrivedAtMs }) as ApiRequest;

beforeEach(() => service.define([]));

describe('a web ACL', () => {
  test('admits an address as soon as it is written to an IP set, and no other', async () => {
    const inspect = serve([{ Action: { Block: {} }, Statement: unregistered }]);
    expect(() => inspect(from('192.0.2.7'))).toThrow('Forbidden');
    await write('IPV4', ['192.0.2.0/28']);
    await write('IPV6', ['2001:db8::/48']);
    expect(inspect(from('192.0.2.7'))).toBeUndefined();
    expect(inspect(from('2001:db8::7'))).toBeUndefined();
    expect(() => inspect(from('192.0.2.16'))).toThrow('Forbidden');
    expect(() => inspect(from('2001:db8:1::7'))).toThrow('Forbidden');
    await write('IPV4', []);
    expect(() => inspect(from('192.0.2.7'))).toThrow('Forbidden');
  });

  test('only counts for a rule whose action is Count', () => {
    expect(serve([{ Action: { Count: {} }, Statement: unregistered }])(from('192.0.2.7'))).toBeUndefined();
  });

  test('answers only the address that sends too much with the rule’s response, for a minute', () => {
    const response = {
      ResponseCode: 429,
      CustomResponseBodyKey: 'TooMany',
      ResponseHeaders: [{ Name: 'Retry-After', Value: '1' }],
    };
    const rate = { RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 60, Limit: 2 } };
    const inspect = serve([{ Action: { Block: { CustomResponse: response } }, Statement: rate }]);
    expect([1, 2].map((atMs) => inspect(from('192.0.2.7', atMs)))).toEqual([undefined, undefined]);
    expect(inspect(from('192.0.2.7', 3))).toMatchObject({
      status: 429,
      body: '{"code":"throttled"}',
      headers: expect.arrayContaining([['Retry-After', '1']]),
    });
    expect(inspect(from('192.0.2.8', 3))).toBeUndefined();
    expect(inspect(from('192.0.2.7', 60_004))).toBeUndefined();
  });

  test.each([
    ['statement', [{ Action: { Block: {} }, Statement: { GeoMatchStatement: {} } }], {}, 'GeoMatchStatement'],
    ['action', [{ Action: { Captcha: {} }, Statement: refersTo('V4') }], {}, 'Captcha'],
    ['property', [], { aclProperties: { TokenDomains: [] } }, 'TokenDomains'],
    ['resource that it stands before', [], { stage: 'v2' }, '/stages/v2'],
  ] as const)('is refused with a %s that is not known', (_, rules, options, named) => {
    expect(() => serve(rules, options)).toThrow(named);
  });
});

describe('an IP set', () => {
  test('keeps its addresses when the stack is replaced, unless the template changes them', async () => {
    serve([]);
    await write('IPV4', ['192.0.2.7/32']);
    serve([]);
    expect((await client.send(new GetIPSetCommand(setOf('IPV4')))).IPSet?.Addresses).toEqual(['192.0.2.7/32']);
    serve([], { first: ['198.51.100.0/24'] });
    expect((await client.send(new GetIPSetCommand(setOf('IPV4')))).IPSet?.Addresses).toEqual(['198.51.100.0/24']);
  });

  test('refuses the second of two concurrent updates', async () => {
    serve([]);
    const { LockToken } = await client.send(new GetIPSetCommand(setOf('IPV4')));
    await write('IPV4', ['192.0.2.7/32']);
    const late = client.send(new UpdateIPSetCommand({ ...setOf('IPV4'), Addresses: [], LockToken }));
    await expect(late).rejects.toMatchObject({ name: 'WAFOptimisticLockException' });
    expect(service.holds(readIpSets(stackWith([]), createResolver(stackWith([])))[0]?.arn ?? '', '192.0.2.7')).toBe(
      true,
    );
  });

  test.each([
    ['an address without a prefix length', 'IPV4', ['192.0.2.7'], 'WAFInvalidParameterException'],
    ['everybody', 'IPV4', ['0.0.0.0/0'], 'WAFInvalidParameterException'],
    ['an address of the other family', 'IPV6', ['192.0.2.7/32'], 'WAFInvalidParameterException'],
    [
      'more than it holds',
      'IPV4',
      Array.from({ length: 10_001 }, (_, i) => `10.0.${i >> 8}.${i & 255}/32`),
      'WAFLimitsExceededException',
    ],
  ])('refuses %s', async (_, version, addresses, name) => {
    serve([]);
    await expect(write(version, addresses)).rejects.toMatchObject({ name });
  });

  test('is refused without a grant, and not found by another id', async () => {
    serve([]);
    const stranger = clientAs('arn:aws:iam::111122223333:role/stranger');
    await expect(stranger.send(new GetIPSetCommand(setOf('IPV4')))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('wafv2:GetIPSet'),
    });
    await expect(client.send(new GetIPSetCommand({ ...setOf('IPV4'), Id: 'V5' }))).rejects.toMatchObject({
      name: 'WAFNonexistentItemException',
    });
  });
});
