import { CsvError, parse } from 'csv-parse/sync';
import { isUnreadable } from '../../config/text-file.ts';
import { OperatorError } from '../error.ts';
import { readLinesFile } from './text-file.ts';

/** A line of a CSV file: `cells` has the requested columns in the requested order, followed by all other cells. */
export type CsvLine = { readonly line: number; readonly cells: readonly string[] };

/**
 * Reads the lines of a CSV file in UTF-8 as spreadsheets write it. Columns are separated by commas, semicolons or tabs, or by
 * the character that a line `sep=` names. Cells may be quoted. Empty lines, and empty cells at the end of a line, are ignored.
 * A header may name the columns, in any order and spelling (`gatewayId`, `gateway_id`, `Gateway-ID`), and has the required one,
 * by default the first. Without a header they are in the order of `columns`, and a single cell is the required one. Throws if
 * there is no line, or if one cannot be read.
 */
export const readCsvLines = async (
  path: string,
  columns: readonly string[],
  required = columns[0] ?? '',
): Promise<CsvLine[]> => {
  const found: CsvLine[] = [];
  let isBegun = false;
  let order: readonly number[] | undefined;
  const single = columns.map((column) => (column === required ? 0 : -1));
  for (const { line, cells } of recordsOf(path, await readLinesFile(path))) {
    const header = orderIn(cells, columns, required);
    if (header === undefined && !isBegun && isForeignHeader(cells, columns))
      throw refusal(path, `line ${line} names other columns than ${columns.join(' and ')}`);
    isBegun = true;
    if (header === undefined)
      found.push({ line, cells: inOrder(cells, order ?? (cells.length === 1 ? single : [...columns.keys()])) });
    else order = header;
  }
  if (found.length === 0) throw new OperatorError('not-found', `${path} has no lines with data.`);
  return found;
};

const refusal = (path: string, why: string) =>
  new OperatorError('refused', `${path} cannot be used; nothing was done: ${why}.`);

/** Returns why nobody may store the cells of a line: they are not UTF-8, as where a spreadsheet wrote "CSV" alone. */
export const encodingFaultOf = (cells: readonly string[]): string | undefined =>
  cells.some(isUnreadable) ? 'is not UTF-8; save the file as "CSV UTF-8"' : undefined;

/** Matches the first line that is not empty if it names the separator, as spreadsheets write it. */
const separatorLine = /^(\uFEFF?(?:[\s,;]*[\r\n])?)"?sep=([^"\r\n])"?[^\S\r\n]*(?=[\r\n]|$)/i;

/** Empties the line that names the separator and the lines before it, so that line numbers stay the same. */
const withoutSeparatorLine = (text: string): string =>
  text.replace(separatorLine, (_, before: string) => before.replace(/[,;]/g, ''));

/** Parses the lines that are not empty, without trailing empty cells. A quoted line break counts to the line where it ends. */
const recordsOf = (path: string, text: string): CsvLine[] => {
  const separator = separatorLine.exec(text)?.[2];
  const records: CsvLine[] = [];
  try {
    parse(withoutSeparatorLine(text), {
      bom: true,
      delimiter: separator ?? [',', ';', '\t'],
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      trim: true,
      on_record: (record: string[], { lines }) => {
        records.push({ line: lines, cells: withoutEmptyEnd(record.map((cell) => cell.trim())) });
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw refusal(path, `a quote in line ${(records.at(-1)?.line ?? 0) + 1} does not end, or text follows it`);
  }
  return records.filter(({ cells }) => cells.length > 0);
};

const withoutEmptyEnd = (cells: readonly string[]): string[] =>
  cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);

const spelling = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Returns the index of each column, -1 for a missing one, if the cells are a header; otherwise undefined. A header includes the
 * required column, and has each column at most once and no others.
 */
const orderIn = (cells: readonly string[], columns: readonly string[], required: string): number[] | undefined => {
  const names = cells.map(spelling);
  const order = columns.map((column) => names.indexOf(spelling(column)));
  const isHeader =
    order[columns.indexOf(required)] !== -1 && order.filter((index) => index !== -1).length === names.length;
  return isHeader ? order : undefined;
};

const inOrder = (cells: readonly string[], order: readonly number[]): string[] => {
  const rest = cells.filter((_, index) => !order.includes(index));
  return withoutEmptyEnd([...order.map((index) => cells[index] ?? ''), ...rest]);
};

/** Whether a line is a header with other column names, instead of a line of ids. */
const isForeignHeader = (cells: readonly string[], columns: readonly string[]): boolean =>
  cells.every(isColumnName) || cells.some((cell) => columns.some((column) => spelling(column) === spelling(cell)));

const columnNames = ['user', 'owner', 'customer', 'gateway', 'device', 'appliance', 'hvac', 'serial', 'contract'];
const columnNameEnds = ['', 'id', 'ids', 'name', 'number', 'no', 'nr'];

/** Whether it is a column name of another system. */
const isColumnName = (cell: string): boolean =>
  columnNames.some((name) => columnNameEnds.some((end) => spelling(cell) === name + end)) || spelling(cell) === 'id';
