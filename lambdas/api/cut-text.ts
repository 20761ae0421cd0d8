import { maxTextCharacters } from './limits.ts';

/** A text from elsewhere as an answer may hold it: at most so long, and well-formed where it was cut. */
export const cutText = (text: string): string => text.slice(0, maxTextCharacters).toWellFormed();
