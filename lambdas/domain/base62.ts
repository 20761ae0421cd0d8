import { randomBytes } from 'node:crypto';

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
