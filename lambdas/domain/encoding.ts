import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes from here on would favour the first digits. */
const firstBiasedByte = 256 - (256 % alphabet.length);

/** `length` digits of a cryptographic generator, each equally likely. */
export const randomBase62 = (length: number): string => {
  let digits = '';
  while (digits.length < length) digits += unbiasedBase62(randomBytes(length * 2));
  return digits.slice(0, length);
};

/** The digits that random bytes give, each equally likely: one a byte, but for one byte in 32, which gives none. */
export const unbiasedBase62 = (bytes: Uint8Array): string =>
  Array.from(
    bytes.filter((byte) => byte < firstBiasedByte),
    (byte) => alphabet[byte % alphabet.length],
  ).join('');

/** A non-negative integer as exactly `width` digits. */
export const toBase62 = (value: number, width: number): string => {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / alphabet.length))
    digits = alphabet[rest % alphabet.length] + digits;
  return digits.padStart(width, alphabet[0]);
};

/**
 * Where a list goes on, opaque to the client. The checksum covers the scope (company, operation and path), so that a
 * made-up, damaged or foreign cursor is told from one that we gave.
 */
export const encodeCursor = (scope: string, position: string): string =>
  Buffer.from(`${checksumOf(scope, position)}${position}`).toString('base64url');

/** The position, or undefined if the cursor is not one of this scope. */
export const decodeCursor = (scope: string, cursor: string): string | undefined => {
  const text = Buffer.from(cursor, 'base64url').toString();
  const position = text.slice(checksumDigits);
  return encodeCursor(scope, position) === cursor ? position : undefined;
};

const checksumDigits = 6;

const checksumOf = (scope: string, position: string) => toBase62(crc32(`${scope}\n${position}`), checksumDigits);

/** The value of a JSON text. Undefined if it is no JSON; JSON itself has no such value. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** An array or object that the text has opened: where in it the text is, and the names that an object has had. */
type Open = { at: string | number; readonly names?: Set<string> };

/** All marks that structure a valid JSON text, and its strings, which may hold the like. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/**
 * The way to the first property that a valid JSON text gives twice in one object; `JSON.parse` would silently keep the last.
 * Keeps a stack of its own, because parsers that report repeats recurse, and a body can be nested deeper than they can.
 */
export const repeatedPropertyIn = (json: string): readonly (string | number)[] | undefined => {
  const open: Open[] = [];
  let latestString = '';
  for (const [token] of json.matchAll(tokens)) {
    const innermost = open.at(-1);
    if (token === '{') open.push({ at: '', names: new Set() });
    else if (token === '[') open.push({ at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') advance(innermost);
    else if (token !== ':') latestString = token;
    else if (innermost?.names) {
      innermost.at = JSON.parse(latestString) as string;
      if (innermost.names.has(innermost.at)) return open.map(({ at }) => at);
      innermost.names.add(innermost.at);
    }
  }
  return undefined;
};

const advance = (innermost: Open | undefined) => {
  if (typeof innermost?.at === 'number') innermost.at++;
};
