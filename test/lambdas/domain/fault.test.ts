import { describe, expect, test } from 'vitest';
import { faultFactName, faultsIn, faultToForget } from '../../../lambdas/domain/fault.ts';

const at = (atMs: number) => ({ atMs, receivedAtMs: atMs + 7 });
const reported = (code: string, atMs: number, sinceMs: number | null = null) => ({
  code,
  componentId: null,
  severity: 'fault',
  text: null,
  sinceMs,
  ...at(atMs),
});
const nameOf = (code: string) => faultFactName({ code, componentId: null });

test.each([
  [
    { code: 'a', componentId: 'b' },
    { code: 'a', componentId: 'c' },
  ],
  [
    { code: 'a', componentId: null },
    { code: 'a', componentId: 'null' },
  ],
  [
    { code: 'a', componentId: null },
    { code: 'a', componentId: '' },
  ],
  [
    { code: 'a', componentId: 'b c' },
    { code: 'b c', componentId: 'a' },
  ],
  [
    { code: 'a","b', componentId: 'c' },
    { code: 'a', componentId: 'c","b' },
  ],
])('two faults have two names: %j and %j', (one, other) => {
  expect(faultFactName(one)).not.toBe(faultFactName(other));
});

test('no code is the name of another fact, or of a property of all objects', () => {
  for (const code of ['connectivity', 'lastSeen', '__proto__', 'constructor'])
    expect([nameOf(code) in { connectivity: 1, lastSeen: 1 }, nameOf(code).startsWith('fault ')]).toEqual([
      false,
      true,
    ]);
});

describe('the faults of a gateway', () => {
  test('are the open ones, newest first; a fault without a start began when it was reported', () => {
    const facts = {
      connectivity: { ...at(9000), connectivity: 'online' },
      [nameOf('cleared')]: at(5000),
      [nameOf('old')]: reported('old', 4000, 1000),
      [nameOf('new')]: reported('new', 3000),
      [nameOf('between')]: reported('between', 6000, 2000),
    };
    expect(faultsIn(facts).map(({ code, sinceMs }) => [code, sinceMs])).toEqual([
      ['new', 3000],
      ['between', 2000],
      ['old', 1000],
    ]);
    expect(faultsIn(facts).at(-1)).toEqual({
      code: 'old',
      componentId: null,
      severity: 'fault',
      text: null,
      sinceMs: 1000,
    });
  });

  test('with the same start have one order, however they are stored', () => {
    const facts = ['b', 'a', 'c'].map((code) => [nameOf(code), reported(code, 1000)]);
    for (const each of [facts, facts.toReversed()])
      expect(faultsIn(Object.fromEntries(each)).map(({ code }) => code)).toEqual(['a', 'b', 'c']);
  });
});

describe('to make room for another fault', () => {
  const open = { [nameOf('a newer')]: reported('a newer', 2000), [nameOf('old')]: reported('old', 1000) };
  const cleared = { [nameOf('a later one')]: at(4000), [nameOf('gone')]: at(3000) };
  const other = { connectivity: { ...at(1), connectivity: 'online' } };

  test.each<[string, object, object, string | undefined]>([
    ['the fault that was cleared first is dropped', { ...open, ...cleared }, reported('x', 5000), 'gone'],
    ['likewise if the other fault is cleared', { ...open, ...cleared }, at(5000), 'gone'],
    ['the fault that was reported first is dropped if none is cleared', open, reported('x', 5000), 'old'],
    ['none is dropped if only the other fault is cleared', open, at(5000), undefined],
    ['none is dropped if the other fault is older', open, reported('x', 999), undefined],
    ['none is dropped if the other fault is as old', open, reported('x', 1000), undefined],
    [
      'none is dropped if the other fault is older than the one cleared first',
      { ...open, ...cleared },
      reported('x', 2500),
      undefined,
    ],
    ['no other fact is dropped', {}, reported('x', 5000), undefined],
  ])('%s', (_, facts, fact, expected) => {
    const [name] = faultToForget({ ...other, ...facts }, fact as ReturnType<typeof at>) ?? [];
    expect(name).toBe(expected && nameOf(expected));
  });
});
