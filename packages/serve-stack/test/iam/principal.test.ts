import { describe, expect, test } from 'vitest';
import { principalInRole } from '../../src/iam/principals.ts';
import { createResolver } from '../../src/template/intrinsics.ts';
import type { Resource } from '../../src/template/template.ts';
import { stackOf } from '../fixture.ts';

const allow = (Action: string) => ({ Statement: [{ Effect: 'Allow', Action, Resource: '*' }] });
const basicExecution = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';

/** Someone in a role with these properties, beside these other resources. */
const principalWith = (Properties: Readonly<Record<string, unknown>>, others: Record<string, Resource> = {}) => {
  const stack = stackOf({ Role1: { Type: 'AWS::IAM::Role', Properties }, ...others });
  return principalInRole(stack.template, createResolver(stack), 'arn:aws:iam::000000000000:role/Fixture-Role1', 'f');
};

const policyFor = (role: string): Resource => ({
  Type: 'AWS::IAM::Policy',
  Properties: { PolicyName: 'P', PolicyDocument: allow('dynamodb:PutItem'), Roles: [{ Ref: role }] },
});

describe('a role may do what is written in it, attached to it, or managed by AWS for it', () => {
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

  test('it is known by its session in the role', () => {
    expect(arn).toBe('arn:aws:sts::000000000000:assumed-role/Fixture-Role1/f');
  });

  test('what is attached to another role is not its own', () => {
    const other = principalWith({}, { Role2, Policy1: policyFor('Role2') });
    expect(other.decide({ action: 'dynamodb:PutItem', resource: 'arn:x' })).toBe('implicit deny');
  });
});

test.each([
  [
    'a managed policy',
    { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] },
    'AdministratorAccess of Role1',
  ],
  ['a property', { MaxSessionDuration: 3600 }, 'Role1 (AWS::IAM::Role): MaxSessionDuration'],
])('%s that the local run does not know is an error that names it', (_, properties, message) => {
  expect(() => principalWith(properties)).toThrow(message);
});
