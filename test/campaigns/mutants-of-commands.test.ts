import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { changesOf } from '../support/mutants/condition.ts';
import { mutationsOf } from '../support/mutants/mutations.ts';
import { senderOf } from '../support/mutants/sender.ts';

describe('a condition is changed in one place at a time', () => {
  test.each<[string, (string | undefined)[]]>([
    ['attribute_not_exists(sk)', [undefined, 'attribute_exists(sk)']],
    ['a <= :b', [undefined, 'a < :b']],
    ['a > :b AND a <> :c', [undefined, 'a <> :c', 'a >= :b AND a <> :c', 'a > :b', 'a > :b AND a = :c']],
    [
      'attribute_exists(sk) AND (a = :b OR x.#n < :c)',
      [
        undefined,
        'a = :b OR x.#n < :c',
        'attribute_not_exists(sk) AND (a = :b OR x.#n < :c)',
        'attribute_exists(sk)',
        'attribute_exists(sk) AND x.#n < :c',
        'attribute_exists(sk) AND (a <> :b OR x.#n < :c)',
        'attribute_exists(sk) AND a = :b',
        'attribute_exists(sk) AND (a = :b OR x.#n <= :c)',
      ],
    ],
  ])('%s', (condition, expected) => {
    expect(changesOf(condition).map(({ text }) => text)).toEqual(expected);
  });

  test('a size is compared as an attribute is', () => {
    expect(changesOf('size(a) < :b').map(({ text }) => text)).toEqual([undefined, 'size(a) <= :b']);
  });

  test('what a set contains is asked the other way round', () => {
    expect(changesOf('contains(a, :b)').map(({ text }) => text)).toEqual([undefined, 'NOT contains(a, :b)']);
  });

  test('AND binds before OR', () => {
    expect(changesOf('a = :a OR b = :b AND c = :c').map(({ text }) => text)).toContain('a = :a OR c = :c');
  });

  test.each(['NOT a = :b', 'a BETWEEN :b AND :c', 'begins_with(a, :b)', 'a = :b AND'])('"%s" is not known', (text) => {
    expect(() => changesOf(text)).toThrow('Teach');
  });
});

describe('a command loses one guard at a time', () => {
  const check = {
    TableName: 'x-ApiKeys',
    Key: { companyId: 'acme', sk: 'KEY#1' },
    ConditionExpression: 'attribute_exists(sk) AND #seen0 = :seen0',
    ExpressionAttributeNames: { '#seen0': 'slot' },
    ExpressionAttributeValues: { ':seen0': 1 },
  };
  const { ConditionExpression: _, ExpressionAttributeNames: __, ExpressionAttributeValues: ___, ...bare } = check;
  const inputsOf = (commandName: string, input: object) =>
    Object.fromEntries(
      mutationsOf(commandName, input).map(({ guard, change, apply }) => [`${guard}, ${change}`, apply(input)]),
    );

  test('a write, its condition or a part of it, with the names and values that only that part used', () => {
    expect(inputsOf('DeleteCommand', check)).toMatchObject({
      'Delete ApiKeys KEY#, without its condition': bare,
      'Delete ApiKeys KEY#, without "slot = :seen"': { ...bare, ConditionExpression: 'attribute_exists(sk)' },
      'Delete ApiKeys KEY#, "slot = :seen" as "slot <> :seen"': {
        ...check,
        ConditionExpression: 'attribute_exists(sk) AND #seen0 <> :seen0',
      },
    });
    const { 'Delete ApiKeys KEY#, without "slot = :seen"': left } = inputsOf('DeleteCommand', check);
    expect(Object.keys(left ?? {})).toEqual(['TableName', 'Key', 'ConditionExpression']);
  });

  test('a transaction, its client token or a guard of one of its items', () => {
    const input = { TransactItems: [{ ConditionCheck: check }, { Put: bare }], ClientRequestToken: 'once' };
    expect(inputsOf('TransactWriteCommand', input)).toMatchObject({
      'transaction, without its client token': { TransactItems: input.TransactItems },
      'ConditionCheck ApiKeys KEY#, without its condition': {
        TransactItems: [{ ConditionCheck: { ConditionExpression: expect.stringContaining(' OR ') } }, { Put: bare }],
        ClientRequestToken: 'once',
      },
    });
  });

  test('a read, its consistency, of each table where there are several', () => {
    const read = { Keys: [{ companyId: 'acme' }] };
    const tables = { 'x-ApiKeys': { ...read, ConsistentRead: true }, 'x-TokenBuckets': read };
    expect(inputsOf('BatchGetCommand', { RequestItems: tables })).toEqual({
      'BatchGet ApiKeys, not strongly consistent': { RequestItems: { 'x-ApiKeys': read, 'x-TokenBuckets': read } },
    });
    expect(inputsOf('GetCommand', { TableName: 'x-ApiKeys', Key: check.Key })).toEqual({});
  });
});

test('a command is sent by what is nearest to the store and no part of its plumbing', () => {
  const sender = 'lambdas/data/api-keys/api-key-creation.ts';
  const row =
    readFileSync(sender, 'utf8')
      .split('\n')
      .findIndex((text) => text.includes('await transact(')) + 1;
  const frames = [
    'test/support/store.ts:1',
    'lambdas/data/store/transaction.ts:1',
    `${sender}:${row}`,
    'operator/b.ts:1',
  ];
  const stack = frames.map((frame) => `    at async act (${process.cwd()}/${frame}:2)`).join('\n');
  expect(senderOf(stack)).toBe(`${sender}: createApiKey`);
  expect(senderOf(`    at file://${process.cwd()}/test/a.test.ts:1:2`)).toBeUndefined();
});
