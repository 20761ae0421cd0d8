import { describe, expect, test } from 'vitest';
import { compileResourcePolicy, refusalOfAccess } from '../src/iam/access.ts';
import { compilePolicies, type Decision, type PolicyDocument } from '../src/iam/policies.ts';
import { principalInRole } from '../src/iam/principals.ts';
import { createResolver } from '../src/template/intrinsics.ts';
import type { Resource } from '../src/template/stack.ts';
import { stackOf } from './fixture.ts';

describe('iam policy', () => {
  const policy = (...statements: Record<string, unknown>[]) =>
    ({ Version: '2012-10-17', Statement: statements }) as unknown as PolicyDocument;

  const read = { action: 'dynamodb:GetItem', resource: 'arn:aws:dynamodb:r:1:table/A' };

  describe('a role may do what its policies allow and nothing else', () => {
    const allow = (Action: unknown, Resource: unknown) => policy({ Effect: 'Allow', Action, Resource });
    const deny = (Action: unknown, Resource: unknown) => policy({ Effect: 'Deny', Action, Resource });
    const table = 'arn:aws:dynamodb:r:1:table/A';

    test.each([
      ['nothing is granted', [], 'implicit deny'],
      ['the action on the table is granted', [allow('dynamodb:GetItem', table)], 'allow'],
      ['one of several is granted', [allow(['dynamodb:Query', 'dynamodb:GetItem'], ['arn:other', table])], 'allow'],
      ['another table is granted', [allow('dynamodb:GetItem', `${table}B`)], 'implicit deny'],
      ['another action is granted', [allow('dynamodb:PutItem', table)], 'implicit deny'],
      ['an action that only begins alike is granted', [allow('dynamodb:Get', table)], 'implicit deny'],
      ['a wildcard covers action and resource', [allow('dynamodb:*', 'arn:*')], 'allow'],
      ['a question mark covers one character', [allow('dynamodb:GetIte?', table)], 'allow'],
      ['actions are compared without case', [allow('dynamodb:getitem', table)], 'allow'],
      ['resources are compared with case', [allow('dynamodb:GetItem', table.toUpperCase())], 'implicit deny'],
      ['a dot in a name is literal', [allow('dynamodb:GetItem', table.replace('dynamo', 'd.namo'))], 'implicit deny'],
      ['a deny stands beside the allow', [allow('*', '*'), deny('dynamodb:GetItem', '*')], 'explicit deny'],
      ['a deny of something else stands beside it', [allow('*', '*'), deny('dynamodb:PutItem', '*')], 'allow'],
    ] as const)('%s', (_, documents, decision) => {
      expect(compilePolicies(documents)(read)).toBe(decision);
    });
  });

  describe('source addresses match within their family, a deny takes precedence, the default is deny', () => {
    const invoke = { Action: 'execute-api:Invoke', Resource: '*', Principal: '*' };
    const allowFrom = (...blocks: string[]) => ({
      ...invoke,
      Effect: 'Allow',
      Condition: { IpAddress: { 'aws:SourceIp': blocks } },
    });
    const denyFrom = (block: string) => ({
      ...invoke,
      Effect: 'Deny',
      Condition: { IpAddress: { 'aws:SourceIp': block } },
    });
    const denyOutside = (...blocks: string[]) => ({
      ...invoke,
      Effect: 'Deny',
      Condition: { NotIpAddress: { 'aws:SourceIp': blocks } },
    });
    const denyPlain = { ...invoke, Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } };
    const allowAll = { ...invoke, Effect: 'Allow' };

    test.each([
      ['192.0.2.7', 'allow', [allowFrom('192.0.2.0/28')]],
      ['192.0.2.16', 'implicit deny', [allowFrom('192.0.2.0/28')]],
      ['192.0.2.7', 'allow', [allowFrom('192.0.2.7')]],
      ['192.0.2.8', 'implicit deny', [allowFrom('192.0.2.7')]],
      ['198.51.100.1', 'allow', [allowFrom('192.0.2.0/28', '198.51.100.0/24')]],
      ['2001:db8:1::7', 'allow', [allowFrom('2001:db8:1::/48')]],
      ['2001:db8:2::7', 'implicit deny', [allowFrom('2001:db8:1::/48')]],
      ['2001:0db8:0001:0000::0007', 'allow', [allowFrom('2001:db8:1::7/128')]],
      ['192.0.2.7', 'implicit deny', [allowFrom('::/0')]],
      ['2001:db8::1', 'implicit deny', [allowFrom('0.0.0.0/0')]],
      ['192.0.2.7', 'explicit deny', [allowFrom('192.0.2.0/24'), denyFrom('192.0.2.7/32')]],
      ['2001:db8::7', 'explicit deny', [allowFrom('2001:db8::/32'), denyFrom('2001:db8::7/128')]],
      ['192.0.2.8', 'allow', [allowFrom('192.0.2.0/24'), denyFrom('192.0.2.7/32')]],
      ['192.0.2.7', 'allow', [allowAll, denyOutside('192.0.2.0/28', '2001:db8::/32')]],
      ['2001:db8::7', 'allow', [allowAll, denyOutside('192.0.2.0/28', '2001:db8::/32')]],
      ['203.0.113.9', 'explicit deny', [allowAll, denyOutside('192.0.2.0/28', '2001:db8::/32')]],
      ['192.0.2.7', 'allow', [allowAll, denyPlain]],
    ])('from %s: %s', (sourceIp, decision, statements) => {
      const request = { action: 'execute-api:Invoke', resource: 'arn:x', sourceIp, secureTransport: true };
      expect(compilePolicies([policy(...statements)])(request)).toBe(decision);
    });

    test('a deny on aws:SecureTransport refuses plain transport', () => {
      const request = {
        action: 'execute-api:Invoke',
        resource: 'arn:x',
        sourceIp: '192.0.2.7',
        secureTransport: false,
      };
      expect(compilePolicies([policy(allowAll, denyPlain)])(request)).toBe('explicit deny');
    });

    test('all operators of a statement have to hold', () => {
      const Condition = {
        IpAddress: { 'aws:SourceIp': '192.0.2.0/24' },
        NotIpAddress: { 'aws:SourceIp': '192.0.2.7/32' },
      };
      const decide = compilePolicies([policy({ ...invoke, Effect: 'Allow', Condition })]);
      const from = (sourceIp: string) => decide({ action: 'execute-api:Invoke', resource: 'arn:x', sourceIp });
      expect([from('192.0.2.8'), from('192.0.2.7'), from('203.0.113.9')]).toEqual([
        'allow',
        'implicit deny',
        'implicit deny',
      ]);
    });
  });

  describe('what the local run cannot evaluate is an error before anything is served', () => {
    const statement = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: '*' };
    test.each([
      [
        { ...statement, Condition: { StringEquals: { 'aws:SourceVpce': 'x' } } },
        'operator StringEquals on the condition key aws:SourceVpce',
      ],
      [{ ...statement, Condition: { IpAddressIfExists: { 'aws:SourceIp': '::/0' } } }, 'operator IpAddressIfExists'],
      [
        { ...statement, Condition: { IpAddress: { 'aws:VpcSourceIp': '10.0.0.0/8' } } },
        'condition key aws:VpcSourceIp',
      ],
      [{ ...statement, Condition: { IpAddress: { 'aws:SourceIp': 'example.com' } } }, '"example.com" is no CIDR block'],
      [{ ...statement, NotAction: 'x' }, 'statement element NotAction'],
      [{ ...statement, NotResource: 'x' }, 'statement element NotResource'],
      [{ ...statement, Principal: { AWS: 'arn:aws:iam::1:root' } }, 'policy principal'],
      [{ ...statement, Effect: 'Maybe' }, 'policy effect Maybe'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the notation of policy variables.
      [{ ...statement, Resource: 'arn:x/${aws:username}' }, 'policy variable ${aws:username}'],
    ])('%j', (unknown, message) => {
      expect(() => compilePolicies([policy(unknown)])).toThrow(message);
    });
  });
});

describe('principal', () => {
  const allow = (Action: string) => ({ Statement: [{ Effect: 'Allow', Action, Resource: '*' }] });
  const basicExecution = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';

  /** Returns the principal of a role with these properties, in a template with these other resources. */
  const principalWith = (Properties: Readonly<Record<string, unknown>>, others: Record<string, Resource> = {}) => {
    const stack = stackOf({ Role1: { Type: 'AWS::IAM::Role', Properties }, ...others });
    return principalInRole(stack.template, createResolver(stack), 'arn:aws:iam::000000000000:role/Fixture-Role1', 'f');
  };

  const policyFor = (role: string): Resource => ({
    Type: 'AWS::IAM::Policy',
    Properties: { PolicyName: 'P', PolicyDocument: allow('dynamodb:PutItem'), Roles: [{ Ref: role }] },
  });

  describe('a role has its inline, attached and AWS managed policies', () => {
    const Role2 = { Type: 'AWS::IAM::Role', Properties: {} };
    const role = {
      Policies: [{ PolicyName: 'Own', PolicyDocument: allow('dynamodb:GetItem') }],
      ManagedPolicyArns: [basicExecution],
    };
    const { arn, decide } = principalWith(role, { Policy1: policyFor('Role1') });

    test.each([
      ['dynamodb:GetItem', 'allow'],
      ['dynamodb:PutItem', 'allow'],
      ['logs:PutLogEvents', 'allow'],
      ['dynamodb:DeleteItem', 'implicit deny'],
    ])('%s: %s', (action, decision) => {
      expect(decide({ action, resource: 'arn:x' })).toBe(decision);
    });

    test('its ARN is that of its session in the role', () => {
      expect(arn).toBe('arn:aws:sts::000000000000:assumed-role/Fixture-Role1/f');
    });

    test('it has the managed policies of the template', () => {
      const Shared: Resource = {
        Type: 'AWS::IAM::ManagedPolicy',
        Properties: { PolicyDocument: allow('dynamodb:Query'), Path: '/' },
      };
      const { decide: decideWith } = principalWith({ ManagedPolicyArns: [{ Ref: 'Shared' }] }, { Shared });
      const { decide: decideWithout } = principalWith({}, { Shared });
      const query = { action: 'dynamodb:Query', resource: 'arn:x' };
      expect([decideWith(query), decideWithout(query)]).toEqual(['allow', 'implicit deny']);
    });

    test('it does not have policies that are attached to another role', () => {
      const other = principalWith({}, { Role2, Policy1: policyFor('Role2') });
      expect(other.decide({ action: 'dynamodb:PutItem', resource: 'arn:x' })).toBe('implicit deny');
    });
  });

  test.each([
    [
      'managed policy',
      { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] },
      'AdministratorAccess of Role1',
    ],
    ['property', { MaxSessionDuration: 3600 }, 'Role1 (AWS::IAM::Role): MaxSessionDuration'],
  ])('an unknown %s is an error that names it', (_, properties, message) => {
    expect(() => principalWith(properties)).toThrow(message);
  });
});

describe('resource access', () => {
  const accountId = '111111111111';
  const queue = `arn:aws:sqs:r:${accountId}:q`;
  const reader = `arn:aws:sts::${accountId}:assumed-role/reader/session`;
  const stranger = 'arn:aws:iam::222222222222:user/x';
  const send = { action: 'sqs:sendmessage', resource: queue };

  const statement = (Principal: unknown, rest: object = {}) => ({
    Effect: 'Allow',
    Action: 'sqs:SendMessage',
    Resource: queue,
    Principal,
    ...rest,
  });
  const policyOf = (...statements: object[]) =>
    compileResourcePolicy([{ Statement: statements } as unknown as PolicyDocument], accountId);

  describe('a caller’s own policies and the resource’s policy decide together', () => {
    const role = (name: string) => ({ AWS: `arn:aws:iam::${accountId}:role/${name}` });
    const deny = { Effect: 'Deny' };

    test.each<[string, Decision, string, object[], string | undefined]>([
      ['a role of the account that grants it', 'allow', reader, [], undefined],
      [
        'a role of the account that the resource names',
        'implicit deny',
        reader,
        [statement(role('reader'))],
        undefined,
      ],
      ['a role that the resource does not name', 'implicit deny', reader, [statement(role('other'))], 'identity-based'],
      ['the account allowed as a whole', 'implicit deny', reader, [statement({ AWS: accountId })], 'identity-based'],
      ['the account denied as a whole', 'allow', reader, [statement({ AWS: accountId }, deny)], 'deny in a resource-'],
      ['a role that denies it', 'explicit deny', reader, [statement('*')], 'deny in an identity-based'],
      ['another account that no policy names', 'allow', stranger, [], 'no resource-based'],
      ['another account that is named', 'implicit deny', stranger, [statement({ AWS: '222222222222' })], undefined],
      ['a principal that is named', 'implicit deny', stranger, [statement({ AWS: ['a', stranger] })], undefined],
      ['everybody', 'implicit deny', stranger, [statement('*')], undefined],
      ['a service, and no principal', 'implicit deny', stranger, [statement({ Service: 'x' })], 'no resource-based'],
    ])('%s', (_, own, arn, statements, refusal) => {
      const owner = { policy: policyOf(...statements), accountId };
      const found = refusalOfAccess({ arn, decide: () => own }, send, owner);
      if (refusal === undefined) expect(found).toBeUndefined();
      else expect(found).toContain(refusal);
    });
  });

  describe('the resource’s policy decides what a service may do', () => {
    const rule = `arn:aws:events:r:${accountId}:rule/placed`;
    const forRule = (operator: string, value: unknown, key = 'aws:SourceArn') =>
      statement({ Service: 'events.amazonaws.com' }, { Condition: { [operator]: { [key]: value } } });

    test.each<[string, object, Decision]>([
      ['its rule by the ARN', forRule('ArnEquals', rule), 'allow'],
      ['its rules by a pattern', forRule('ArnLike', `arn:aws:events:r:${accountId}:rule/*`), 'allow'],
      ['another rule', forRule('ArnEquals', `${rule}2`), 'implicit deny'],
      ['its account', forRule('StringEquals', accountId, 'aws:SourceAccount'), 'allow'],
      ['another account', forRule('StringEquals', '2', 'aws:SourceAccount'), 'implicit deny'],
      ['another service', statement({ Service: 'sns.amazonaws.com' }), 'implicit deny'],
    ])('%s', (_, given, decision) => {
      const caller = { service: 'events.amazonaws.com' };
      expect(policyOf(given)({ ...send, caller, sourceArn: rule })).toBe(decision);
    });
  });

  test.each([
    [{ Federated: 'x' }, 'kind of policy principal Federated'],
    [undefined, 'names no principal'],
  ])('principals %j are an error that names the unknown part', (principal, message) => {
    expect(() => policyOf(statement(principal))).toThrow(message);
  });

  test('a policy without a resource may name no principal but everybody', () => {
    const document = { Statement: statement({ AWS: stranger }) } as unknown as PolicyDocument;
    expect(() => compilePolicies([document])).toThrow('policy principal');
  });
});
