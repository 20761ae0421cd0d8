import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { OperatorError } from '../error.ts';

/** Where a file is that an operator names, and its size in bytes. */
export const findFile = async (directory: string, name: string) => {
  const path = resolve(directory, name);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new OperatorError('not-found', `There is no file ${path}.`);
  return { path, size: found.size };
};

/** A line of a CSV file. `endByte` is where it ends in the file. */
export type CsvLine = { readonly line: number; readonly endByte: number; readonly cells: readonly string[] };

/**
 * The lines of a CSV file, its header optional; empty lines are left out. Columns may be parted by commas, semicolons or tabs,
 * and a cell may stand in quotes, since spreadsheets write so. Throws what opening the file throws.
 */
export async function* readCsvLines(path: string, header: readonly string[]): AsyncGenerator<CsvLine> {
  const handle = await open(path);
  let line = 0;
  let endByte = 0;
  for await (const text of handle.readLines()) {
    line++;
    endByte += Buffer.byteLength(text) + 1;
    const cells = text
      .replace(/^\uFEFF/, '')
      .split(/[,;\t]/)
      .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    const isHeader = line === 1 && cells.join() === header.join();
    if (!isHeader && cells.some((cell) => cell !== '')) yield { line, endByte, cells };
  }
}
