import { expect, test } from 'vitest';
import { hostNamePattern, maxHostNameCharacters } from '../../../lambdas/api/host-name.ts';

const label = (characters: number) => 'a'.repeat(characters);
/** A name of so many characters, in labels of 63 at most. */
const name = (characters: number) => `${`${label(63)}.`.repeat(3)}${label(characters - 192)}`;

test.each(['a.bc', 'ab.cd', '1.a1', 'x--y.a-b', `${label(63)}.test`, `test.${label(63)}`, name(253)])(
  '%s is a host name',
  (text) => {
    expect(hostNamePattern.test(text)).toBe(true);
  },
);

test.each([
  ...['', 'a', 'abc', 'a.b', '.ab', 'a..bc', '-a.bc', 'a-.bc', 'a.bc-', 'a.-bc', 'a.1b', 'a.bc.', 'a b.cd', 'A.bc'],
  ...[`${label(64)}.test`, `test.${label(64)}`, name(254), 'a.bc\n', '\na.bc'],
])('%j is none', (text) => {
  expect(hostNamePattern.test(text)).toBe(false);
});

test('the longest name is as long as the pattern lets it be', () => {
  expect(maxHostNameCharacters).toBe(253);
});
