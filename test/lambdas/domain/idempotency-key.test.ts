import { describe, expect, test } from 'vitest';
import { parseIdempotencyKey } from '../../../lambdas/domain/idempotency-key.ts';

const longest = 'x'.repeat(255);

describe('an Idempotency-Key', () => {
  test.each([
    ['bare', '8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['quoted', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['of one character', '!', '!'],
    ['of one quoted character', '"~"', '~'],
    ['of maximum length', longest, longest],
    ['of maximum length, quoted', `"${longest}"`, longest],
    ['of maximum length, each character escaped', `"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
    ['with both escapes', String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ['with an escaped backslash before the last quote', String.raw`"a\\"`, 'a\\'],
    ['bare with a backslash, which escapes nothing there', String.raw`a\"b`, String.raw`a\"b`],
  ])('is parsed: %s', (_, field, value) => {
    expect(parseIdempotencyKey(field)).toBe(value);
  });

  test.each([
    ['nothing', ''],
    ['nothing in quotes', '""'],
    ['one quote', '"'],
    ['no last quote', '"a'],
    ['a last quote that is escaped', String.raw`"a\"`],
    ['a quote between', '"a"b"'],
    ['another escape', String.raw`"a\n"`],
    ['something after the last quote', '"a";b=1'],
    ['two strings', '"a", "b"'],
    ['two bare values in one field', 'a, b'],
    ['a space', 'a b'],
    ['a space in quotes', '"a b"'],
    ['a line break after it', 'a\n'],
    ['a line break after the last quote', '"a"\n'],
    ['a tab', 'a\tb'],
    ['a control character', '\u007f'],
    ['a letter beyond ASCII', 'schlüssel'],
    ['a letter beyond ASCII in quotes', '"schlüssel"'],
    ['one character too many', `${longest}x`],
    ['one character too many in quotes', `"${longest}x"`],
    ['a megabyte of escapes', `"${'\\\\'.repeat(500_000)}`],
  ])('is rejected: %s', (_, field) => {
    expect(parseIdempotencyKey(field)).toBeUndefined();
  });
});
