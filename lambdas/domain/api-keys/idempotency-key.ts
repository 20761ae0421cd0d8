import { maxIdempotencyKeyCharacters } from '../../api/limits.ts';

/**
 * The value of an `Idempotency-Key` field: a string as the IETF draft wants it, in quotes with `\"` and `\\` escaped, or
 * the same value bare, as many clients send it. Undefined if it is neither, or is not 1 to 255 visible ASCII characters.
 */
export const parseIdempotencyKey = (field: string): string | undefined => {
  const value = field.startsWith('"') ? unquoted(field) : field;
  return value !== undefined && visibleAscii.test(value) ? value : undefined;
};

export const expectedIdempotencyKey = `Expected one value of 1 to ${maxIdempotencyKeyCharacters} visible ASCII characters, in quotes or bare.`;

const visibleAscii = new RegExp(`^[!-~]{1,${maxIdempotencyKeyCharacters}}$`);

/** RFC 9651: no escapes but these two, and no quote before the last. */
const unquoted = (field: string): string | undefined =>
  /^"((?:[^"\\]|\\["\\])*)"$/.exec(field)?.[1]?.replaceAll(/\\(.)/g, '$1');
