import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, test } from 'vitest';
import { instrument } from '../support/mutants/source-mutants.ts';

/** The mutants of a source, without the name of its file. */
const mutantsOf = (source: string): string[] =>
  instrument('a.ts', source).names.map((name) => name.replace('a.ts: ', ''));

describe('a source is changed in one place at a time', () => {
  test.each<[string, string[]]>([
    ['const f = (a: number) => a < 2;', ['f: "a < 2" as "a <= 2"', 'f: "a < 2" as "a < 3"', 'f: "a < 2" as "a < 1"']],
    [
      'const f = () => a && !b && c.d;',
      [...['a', '!b', 'c.d'].map((clause) => `f: without "${clause}" of "a && !b && c.d"`), 'f: "!b" as "b"'],
    ],
    ['function f() { if (a()) return; }', ['f: "a()" as "false"']],
    [
      'const f = a === null ? b : c;',
      ['f: "a === null ? b : c" as "b"', 'f: "a === null ? b : c" as "c"', 'f: "a === null" as "a !== null"'],
    ],
    ['const f = () => a.some(b);', ['f: "a.some(b)" as "a.every(b)"']],
    ['const f = () => a.filter(b).c;', ['f: "a.filter(b)" as "a"']],
    [
      'const f = /^[^a]{1,2}$/;',
      [
        '"" for "^"',
        '"[a]" for "[^a]"',
        '"{2,2}" for "{1,2}"',
        '"{0,2}" for "{1,2}"',
        '"{1,3}" for "{1,2}"',
        '"{1,1}" for "{1,2}"',
        '"" for "$"',
      ].map((change) => `f: pattern with ${change}`),
    ],
    ['const f = () => { a += 1; };', ['f: "a += 1" as "a -= 1"', 'f: "a += 1" as "a += 2"', 'f: "a += 1" as "a += 0"']],
    [
      'const f = () => a < b || a < b;',
      [
        'f: without "a < b" of "a < b || a < b"',
        'f: without "a < b" of "a < b || a < b" (2)',
        'f: "a < b" as "a <= b"',
        'f: "a < b" as "a <= b" (2)',
      ],
    ],
    // What is a name, a type or a text stays, and a call that `?.` may leave out.
    ['type A = 1 | 2; const f = () => ({ 3: "a" + b, c: d?.filter(e) as 4 });', []],
  ])('%s', (source, expected) => {
    expect(mutantsOf(source)).toEqual(expected);
  });
});

test('each mutant is what its name says, as soon as it is turned on, also of what was computed before', async () => {
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
  let [on, turns] = ['', 0];
  globalThis.mutantSwitch = () =>
    Object.assign((index: number) => names[index] === on, {
      turn: () => void turns++,
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
  expect(turns).toBe(10);
});
