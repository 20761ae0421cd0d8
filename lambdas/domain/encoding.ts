import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes from here on would favour the first digits. */
const firstBiasedByte = 256 - (256 % alphabet.length);

/** Returns `length` digits from a cryptographic generator, each equally likely. */
export const randomBase62 = (length: number): string => {
  let digits = '';
  while (digits.length < length) digits += unbiasedBase62(randomBytes(length * 2));
  return digits.slice(0, length);
};

/** Returns the digits of random bytes, each equally likely. One byte in 32 yields no digit, and every other byte yields one. */
export const unbiasedBase62 = (bytes: Uint8Array): string =>
  Array.from(
    bytes.filter((byte) => byte < firstBiasedByte),
    (byte) => alphabet[byte % alphabet.length],
  ).join('');

/** Returns a non-negative integer in base62, padded to `width` digits. */
export const toBase62 = (value: number, width: number): string => {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / alphabet.length))
    digits = alphabet[rest % alphabet.length] + digits;
  return digits.padStart(width, alphabet[0]);
};

/**
 * Returns a cursor, which is opaque to the client. Its checksum covers the scope (company, operation and path), so that a
 * made-up, damaged or foreign cursor is recognized.
 */
export const encodeCursor = (scope: string, position: string): string =>
  Buffer.from(`${checksumOf(scope, position)}${position}`).toString('base64url');

/** Returns the position of a cursor; undefined if the cursor does not belong to this scope. */
export const decodeCursor = (scope: string, cursor: string): string | undefined => {
  const text = Buffer.from(cursor, 'base64url').toString();
  const position = text.slice(checksumDigits);
  return encodeCursor(scope, position) === cursor ? position : undefined;
};

const checksumDigits = 6;

const checksumOf = (scope: string, position: string) => toBase62(crc32(`${scope}\n${position}`), checksumDigits);

/** Parses a JSON text. Returns undefined, which is no JSON value, if the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** An array or object that is open at the current token: the current index or name in it, and the names so far of an object. */
type Open = { at: string | number; readonly names?: Set<string> };

/** All structural characters of a JSON text, and its strings, which may contain such characters; the last may lack its end. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]/g;

/**
 * Returns the path of the first property that a valid JSON text has twice in one object; `JSON.parse` would silently keep the
 * last. Uses its own stack: parsers that report duplicates are recursive, and a body can be nested deeper than they support.
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
