import { describe, expect, test } from 'vitest';
import { compilePolicies, type PolicyDocument } from '../../src/iam/policies.ts';

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
    [
      'a dot in a name stands for itself',
      [allow('dynamodb:GetItem', table.replace('dynamo', 'd.namo'))],
      'implicit deny',
    ],
    ['a deny stands beside the allow', [allow('*', '*'), deny('dynamodb:GetItem', '*')], 'explicit deny'],
    ['a deny of something else stands beside it', [allow('*', '*'), deny('dynamodb:PutItem', '*')], 'allow'],
  ] as const)('%s', (_, documents, decision) => {
    expect(compilePolicies(documents)(read)).toBe(decision);
  });
});

describe('source addresses are compared in their own family, denies win, and what nobody allows is denied', () => {
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

  test('plain transport is what the deny of aws:SecureTransport means', () => {
    const request = { action: 'execute-api:Invoke', resource: 'arn:x', sourceIp: '192.0.2.7', secureTransport: false };
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

describe('what the local run cannot evaluate is refused before it serves anything', () => {
  const statement = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: '*' };
  test.each([
    [
      { ...statement, Condition: { StringEquals: { 'aws:SourceVpce': 'x' } } },
      'operator StringEquals on the condition key aws:SourceVpce',
    ],
    [{ ...statement, Condition: { IpAddressIfExists: { 'aws:SourceIp': '::/0' } } }, 'operator IpAddressIfExists'],
    [{ ...statement, Condition: { IpAddress: { 'aws:VpcSourceIp': '10.0.0.0/8' } } }, 'condition key aws:VpcSourceIp'],
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
