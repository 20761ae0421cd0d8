import { maxIdempotencyKeyCharacters } from '../api/limits.ts';

/**
 * Parses an `Idempotency-Key` field: a string as in the IETF draft, in quotes with `\"` and `\\` escaped, or the bare value, as
 * many clients send it. Returns undefined if it is neither, or is not 1 to 255 visible ASCII characters.
 */
export const parseIdempotencyKey = (field: string): string | undefined => {
  const value = field.startsWith('"') ? unquoted(field) : field;
  return value !== undefined && visibleAscii.test(value) ? value : undefined;
};

export const expectedIdempotencyKey = `Expected one value of 1 to ${maxIdempotencyKeyCharacters} visible ASCII characters, in quotes or bare.`;

const visibleAscii = new RegExp(`^[!-~]{1,${maxIdempotencyKeyCharacters}}$`);

/** RFC 9651 allows only these two escapes, and no quote before the last one. */
const unquoted = (field: string): string | undefined =>
  /^"((?:[^"\\]|\\["\\])*)"$/.exec(field)?.[1]?.replaceAll(/\\(.)/g, '$1');
