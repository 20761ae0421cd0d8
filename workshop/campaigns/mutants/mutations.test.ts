import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, test } from 'vitest';
import { campaign } from '../../../test/support/campaign.ts';
import { changesOf, mutationsOf, senderOf } from './command-mutations.ts';
import { instrument } from './source-mutants.ts';

describe('mutants of commands', campaign, () => {
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

    test('a size is compared like an attribute', () => {
      expect(changesOf('size(a) < :b').map(({ text }) => text)).toEqual([undefined, 'size(a) <= :b']);
    });

    test('a test for an element of a set is inverted', () => {
      expect(changesOf('contains(a, :b)').map(({ text }) => text)).toEqual([undefined, 'NOT contains(a, :b)']);
    });

    test('AND binds before OR', () => {
      expect(changesOf('a = :a OR b = :b AND c = :c').map(({ text }) => text)).toContain('a = :a OR c = :c');
    });

    test.each(['NOT a = :b', 'a BETWEEN :b AND :c', 'begins_with(a, :b)', 'a = :b AND'])(
      '"%s" is not known',
      (text) => {
        expect(() => changesOf(text)).toThrow('Teach');
      },
    );
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
    const frames = ['test/support/store.ts:1', 'lambdas/data/store/writes.ts:1', `${sender}:${row}`, 'operator/b.ts:1'];
    const stack = frames.map((frame) => `    at async act (${process.cwd()}/${frame}:2)`).join('\n');
    expect(senderOf(stack)).toBe(`${sender}: createApiKey`);
    const ofTest = `    at act (${process.cwd()}/test/a.test.ts:1:2)`;
    for (const each of [ofTest, `${ofTest}\n${stack}`]) expect(senderOf(each)).toBeUndefined();
  });
});

describe('mutants of decisions', campaign, () => {
  /** Returns the mutants of a source: what each has in place of the original. */
  const mutantsOf = (source: string): string[] =>
    instrument('a.ts', source).names.map((name) => name.replace(/^a\.ts: (f: )?".*" as /, ''));

  test.each<[string, string[]]>([
    ['const f = (a: number) => a < 2;', ['"a <= 2"', '"a < 3"', '"a < 1"']],
    ['const f = () => a && !b && c.d;', ['"!b && c.d"', '"a && c.d"', '"a && !b"', '"b"']],
    ['function f() { if (a()) return; }', ['"false"']],
    ['const f = a === null ? b : c;', ['"b"', '"c"', '"a !== null"']],
    ['const f = () => a.some(b);', ['"a.every(b)"']],
    ['const f = () => a.filter(b).c;', ['"a"']],
    [
      'const f = /^[^a]{1,2}$/;',
      ['[^a]{1,2}$', '^[a]{1,2}$', '^[^a]{2,2}$', '^[^a]{0,2}$', '^[^a]{1,3}$', '^[^a]{1,1}$', '^[^a]{1,2}'].map(
        (pattern) => `"/${pattern}/"`,
      ),
    ],
    ['const f = () => { a += 1; };', ['"a -= 1"', '"a += 2"', '"a += 0"']],
    ['const f = () => a < b || a < b;', ['"a < b"', '"a < b" (2)', '"a <= b"', '"a <= b" (2)']],
    // Names, types and strings have no mutants, nor has a call that `?.` may skip.
    ['type A = 1 | 2; const f = () => ({ 3: "a" + b, c: d?.filter(e) as 4 });', []],
  ])('%s is changed in one place at a time', (source, expected) => {
    expect(mutantsOf(source)).toEqual(expected);
  });

  test('each mutant has the effect that its name says as soon as it is on, also on module-level values', async () => {
    const source = `
    const minute: number = 60;
    export const hour = minute * 60;
    export const sumOf = (numbers: readonly number[]): number => {
      let sum = 0;
      for (const number of numbers) sum += number;
      return sum;
    };`;
    const { code, names } = instrument('a.ts', source);
    const again: (() => void)[] = [];
    let on = '';
    globalThis.mutantSwitch = () =>
      Object.assign((index: number) => names[index] === on, {
        again: (compute: () => void) => void again.push(compute),
      });
    const module = await import(`data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(code))}`);
    const under = (mutant: string) => {
      on = `a.ts: ${mutant}`;
      expect([...names, 'a.ts: ']).toContain(on);
      for (const compute of again) compute();
      return [module.hour, module.sumOf([1, 2])];
    };
    expect(under('')).toEqual([3600, 3]);
    expect(under('minute: "minute: number = 60" as "minute: number = 61"')).toEqual([3660, 3]);
    expect(under('hour: "minute * 60" as "minute / 60"')).toEqual([1, 3]);
    expect(under('sumOf: "sum += number" as "sum -= number"')).toEqual([3600, -3]);
    expect(under('')).toEqual([3600, 3]);
  });
});
