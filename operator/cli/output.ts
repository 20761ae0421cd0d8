import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

/** Control characters, and those that turn the direction of writing (Unicode's Bidi_Control). */
const steering = /[^\P{Cc}\n]|\p{Bidi_Control}/gu;

/**
 * The text without what steers a terminal. Names and reasons come from the tables, and messages from AWS: they could else
 * rewrite what the terminal shows, or show it in another order.
 */
export const printable = (text: string): string => stripVTControlCharacters(text).replace(steering, ' ');

/** Writes text for a person; nothing else of the program may write to a terminal. */
export const print = (stream: Writable, text: string): void => {
  stream.write(printable(text));
};

/** Writes a value as JSON that is safe on a terminal and means the same: JSON itself escapes only some of the characters. */
export const printJson = (stream: Writable, value: unknown): void => {
  const json = JSON.stringify(value, null, 2);
  const escaped = json.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  stream.write(`${escaped}\n`);
};
