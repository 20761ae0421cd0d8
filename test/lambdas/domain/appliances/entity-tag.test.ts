import { expect, test } from 'vitest';
import { entityTagOf, isMatch } from '../../../../lambdas/domain/appliance.ts';

test.each<[string, string[], boolean]>([
  ['no If-Match', [], true],
  ['its own tag', ['"7"'], true],
  ['any tag', ['*'], true],
  ['its own tag in a list', ['"5", "7"'], true],
  ['its own tag in a list without spaces', ['"5","7"'], true],
  ['its own tag in the second of two headers', ['"5"', '"7"'], true],
  ['an older tag', ['"6"'], false],
  ['a newer tag', ['"8"'], false],
  ['a list of other tags', ['"6", "8"'], false],
  ['a tag that its own begins', ['"77"'], false],
  ['its own tag as a weak one', ['W/"7"'], false],
  ['its own version without quotes', ['7'], false],
  ['an empty header', [''], false],
])('version 7 may be changed with %s: %j → %s', (_, ifMatch, expected) => {
  expect(isMatch(ifMatch, 7)).toBe(expected);
});

test('the tag that an answer shows is the one that If-Match takes', () => {
  expect(entityTagOf(7)).toBe('"7"');
  expect(isMatch([entityTagOf(7)], 7)).toBe(true);
});
