import { randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes from here on would favour the first digits. */
const firstBiasedByte = 256 - (256 % alphabet.length);

/** `length` digits of a cryptographic generator, each equally likely. */
export const randomBase62 = (length: number): string => {
  let digits = '';
  while (digits.length < length)
    for (const byte of randomBytes(length * 2))
      if (byte < firstBiasedByte && digits.length < length) digits += alphabet[byte % alphabet.length];
  return digits;
};

/** A non-negative integer as exactly `width` digits. */
export const toBase62 = (value: number, width: number): string => {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / alphabet.length))
    digits = alphabet[rest % alphabet.length] + digits;
  return digits.padStart(width, alphabet[0]);
};
