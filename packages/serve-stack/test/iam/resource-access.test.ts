import { describe, expect, test } from 'vitest';
import { compileResourcePolicy, refusalOfAccess } from '../../src/iam/access.ts';
import { compilePolicies, type Decision, type PolicyDocument } from '../../src/iam/policies.ts';

const accountId = '111111111111';
const queue = `arn:aws:sqs:r:${accountId}:q`;
const reader = `arn:aws:sts::${accountId}:assumed-role/reader/session`;
const stranger = 'arn:aws:iam::222222222222:user/x';
const send = { action: 'sqs:sendmessage', resource: queue };

const statement = (Principal: unknown, rest: object = {}) => ({
  ...{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: queue, Principal },
  ...rest,
});
const policyOf = (...statements: object[]) =>
  compileResourcePolicy([{ Statement: statements } as unknown as PolicyDocument], accountId);

describe('who asks may do what the own policies say together with the resource’s', () => {
  const role = (name: string) => ({ AWS: `arn:aws:iam::${accountId}:role/${name}` });
  const deny = { Effect: 'Deny' };

  test.each<[string, Decision, string, object[], string | undefined]>([
    ['a role of the account that grants it', 'allow', reader, [], undefined],
    ['a role of the account that the resource names', 'implicit deny', reader, [statement(role('reader'))], undefined],
    ['a role that the resource does not name', 'implicit deny', reader, [statement(role('other'))], 'identity-based'],
    ['the account allowed as a whole', 'implicit deny', reader, [statement({ AWS: accountId })], 'identity-based'],
    ['the account denied as a whole', 'allow', reader, [statement({ AWS: accountId }, deny)], 'deny in a resource-'],
    ['a role that denies it', 'explicit deny', reader, [statement('*')], 'deny in an identity-based'],
    ['another account that nobody names', 'allow', stranger, [], 'no resource-based'],
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

describe('a service may do what the resource’s policy says of it', () => {
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
])('principals %j are an error that names what is unknown', (principal, message) => {
  expect(() => policyOf(statement(principal))).toThrow(message);
});

test('a policy that belongs to no resource names no principal but everybody', () => {
  const document = { Statement: statement({ AWS: stranger }) } as unknown as PolicyDocument;
  expect(() => compilePolicies([document])).toThrow('policy principal');
});
