import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { decodeLines, decodeText, UnreadableText } from '../../config/text-file.ts';
import { OperatorError } from '../error.ts';
import type { Host } from './context.ts';

/** Returns the absolute path of a file. Throws if there is no such file. */
export const findFile = async (directory: string, name: string): Promise<string> => {
  const path = resolve(directory, name);
  const found = await stat(path).catch(() => undefined);
  if (!found || found.isDirectory()) throw new OperatorError('not-found', `There is no file ${path}.`);
  return path;
};

/** Reads a file of which no character may be lost. Throws if it is not UTF-8. */
export const readTextFile = async (path: string): Promise<string> =>
  decodeNamed(path, decodeText, await readFile(path));

/** Reads a file whose lines stand alone: those that are not UTF-8 are `isUnreadable`. Throws if it is UTF-16 or UTF-32. */
export const readLinesFile = async (path: string): Promise<string> =>
  decodeNamed(path, decodeLines, await readFile(path));

/** Reads standard input to its end. Throws if it is UTF-16 or UTF-32, as some shells write it. */
export const readStandardInput = async ({ stdin }: Host): Promise<string> =>
  decodeNamed('Standard input', decodeLines, await buffer(stdin));

/** Decodes a text, whose name begins the sentence of an error. */
export const decodeNamed = (name: string, decode: typeof decodeText, bytes: Uint8Array): string => {
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof UnreadableText) throw new OperatorError('refused', `${name} ${error.message}`);
    throw error;
  }
};
