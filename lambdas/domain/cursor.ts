import { crc32 } from 'node:zlib';
import { toBase62 } from './base62.ts';

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
