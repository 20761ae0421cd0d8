import { type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { OperatorError } from '../error.ts';

/** Where a file is that an operator names, and its size in bytes. */
export const findFile = async (directory: string, name: string) => {
  const path = resolve(directory, name);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new OperatorError('not-found', `There is no file ${path}.`);
  return { path, size: found.size };
};

/**
 * A line of a CSV file. `cells` has the requested columns in the requested order, followed by all other cells. `endByte` is the
 * position in the file at which the line ends.
 */
export type CsvLine = { readonly line: number; readonly endByte: number; readonly cells: readonly string[] };

/**
 * The lines of a CSV file in UTF-8, as spreadsheets write it: columns are separated by commas, semicolons or tabs, or by what a
 * line `sep=` names; a cell may be quoted; empty lines, and empty cells at the end of a line, do not count. A header may name the
 * columns, in any order and in any spelling (`gatewayId`, `gateway_id`, `Gateway-ID`); without one they are in the order asked
 * for. The first column is required.
 */
export async function* readCsvLines(path: string, columns: readonly string[]): AsyncGenerator<CsvLine> {
  const handle = await open(path);
  await requireUtf8(handle, path);
  let [line, endByte, count] = [0, 0, 0];
  let isBegun = false;
  let separators = ',;\t';
  let order = columns.map((_, index) => index);
  for await (const raw of handle.readLines({ start: 0 })) {
    line++;
    endByte += Buffer.byteLength(raw) + 1;
    const text = line === 1 ? raw.replace(/^\uFEFF/, '') : raw;
    const [, separator] = (!isBegun && /^"?sep=(.)"?\s*$/i.exec(text)) || [];
    if (separator !== undefined) separators = separator;
    const cells = cellsOf(text, separators);
    if (separator !== undefined || cells.length === 0) continue;
    const header = orderIn(cells, columns);
    if (header === undefined && !isBegun && cells.every(isColumnName))
      throw new OperatorError(
        'refused',
        `${path} cannot be taken, and nothing was done: line ${line} names other columns than ${columns.join(' and ')}.`,
      );
    isBegun = true;
    if (header !== undefined) {
      order = header;
      continue;
    }
    count++;
    yield { line, endByte, cells: inOrder(cells, order) };
  }
  if (count === 0) throw new OperatorError('not-found', `${path} has no lines with anything in them.`);
}

/** Refuses UTF-16, which spreadsheets on Windows write as "Unicode text". */
const requireUtf8 = async (handle: FileHandle, path: string): Promise<void> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
  const start = buffer.subarray(0, bytesRead);
  if (!start.includes(0) && (start[0] ?? 0) < 0xfe) return;
  await handle.close();
  throw new OperatorError(
    'refused',
    `${path} is no UTF-8, but UTF-16 or UTF-32. Save it as "CSV UTF-8", and try again.`,
  );
};

/** The trimmed cells of a line; a quote within quotes is doubled. Empty cells at the end are left out. */
const cellsOf = (text: string, separators: string): string[] => {
  const cells = [''];
  let isQuoted = false;
  for (const part of text.match(/""|[\s\S]/gu) ?? []) {
    const last = cells.length - 1;
    if (part === '""' && isQuoted) cells[last] += '"';
    else if (part === '"') isQuoted = !isQuoted;
    else if (!isQuoted && separators.includes(part)) cells.push('');
    else if (part !== '""') cells[last] += part;
  }
  // A line with an unclosed quote is one cell, unchanged.
  const trimmed = isQuoted ? [text.trim()] : cells.map((cell) => cell.trim());
  return trimmed.slice(0, trimmed.findLastIndex((cell) => cell !== '') + 1);
};

const spelling = (name: string): string => name.toLowerCase().replace(/[-_\s]/g, '');

/**
 * The index of each column if the cells are a header, -1 for a missing column. A header includes the first column, and has each
 * column once and no others.
 */
const orderIn = (cells: readonly string[], columns: readonly string[]): number[] | undefined => {
  const names = cells.map(spelling);
  const order = columns.map((column) => names.indexOf(spelling(column)));
  const isHeader = order[0] !== -1 && order.filter((index) => index !== -1).length === names.length;
  return isHeader ? order : undefined;
};

const inOrder = (cells: readonly string[], order: readonly number[]): string[] => {
  const rest = cells.filter((_, index) => !order.includes(index));
  const ordered = [...order.map((index) => cells[index] ?? ''), ...rest];
  return ordered.slice(0, ordered.findLastIndex((cell) => cell !== '') + 1);
};

/** Column names of other systems: a line of these is a header, not a line of ids. */
const columnNames = ['user', 'owner', 'customer', 'gateway', 'device', 'appliance', 'hvac', 'serial', 'contract'];

const isColumnName = (cell: string): boolean =>
  columnNames.some((name) => ['', 'id', 'ids', 'number', 'no'].some((end) => spelling(cell) === name + end)) ||
  spelling(cell) === 'id';
