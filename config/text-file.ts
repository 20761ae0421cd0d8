import { isUtf8 } from 'node:buffer';

/** Why a text cannot be read, as the end of a sentence that begins with the name of its file. */
export class UnreadableText extends Error {}

/**
 * Decodes a text that a person wrote: UTF-8, with or without a byte order mark. A byte that is no UTF-8, as of Latin-1, becomes
 * U+FFFD, for readers of lines that stand alone (`isUnreadable`). Throws UnreadableText for UTF-16 and UTF-32.
 */
export const decodeLines = (bytes: Uint8Array): string => {
  const start = bytes.subarray(0, 4);
  if (start.includes(0) || (start[0] ?? 0) >= 0xfe)
    throw new UnreadableText('is not UTF-8, but UTF-16 or UTF-32. Save it as UTF-8, and try again.');
  return new TextDecoder().decode(bytes);
};

/** Decodes a text like `decodeLines`. Throws UnreadableText also if a line of it cannot be read. */
export const decodeText = (bytes: Uint8Array): string => {
  const text = decodeLines(bytes);
  const line = text.split('\n').findIndex(isUnreadable) + 1;
  if (line === 0) return text;
  const why = isUtf8(bytes)
    ? `has the character U+FFFD in line ${line}, where another program could not read it. Correct that line`
    : `is not UTF-8, but probably Latin-1 or Windows-1252: see line ${line}. Save it as UTF-8`;
  throw new UnreadableText(`${why}, and try again.`);
};

/** Whether a part of the text has lost a character, so that nobody may store it. */
export const isUnreadable = (text: string): boolean => text.includes('\uFFFD');
