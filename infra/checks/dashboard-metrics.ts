import { faultsOfMath, faultsOfStatistics } from './metric-math.ts';

type Options = { readonly id?: string; readonly expression?: string; readonly stat?: string };

/**
 * Says what is wrong with the rows of a widget. A row is `[namespace, name, dimension, value, …]`, with options last if it
 * has any, or `[{ expression }]`.
 */
export const faultsOfRows = (rows: unknown): string[] => {
  if (!Array.isArray(rows)) return ['has metrics that are no list; write a list of rows.'];
  const malformed = rows.flatMap((row, index) => (isRow(row) ? [] : index + 1));
  if (malformed.length > 0)
    return malformed.map((row) => `has a row ${row} of metrics that is neither a metric nor an expression; ${rowForm}`);
  const options = rows.map((row: readonly unknown[]) => optionsOf(row));
  return [...faultsOfMath(options), ...faultsOfStatistics(options.map(({ stat }) => stat))];
};

const isRow = (row: unknown): boolean => {
  if (!Array.isArray(row)) return false;
  const options = optionsOf(row);
  const texts = row.slice(0, row.length - (hasOptions(row) ? 1 : 0));
  if (texts.length === 0) return typeof options.expression === 'string';
  const isShortened = texts.includes('...');
  return (
    options.expression === undefined &&
    texts.every((text) => typeof text === 'string' && text !== '') &&
    (isShortened || (texts.length >= 2 && texts.length % 2 === 0))
  );
};

const hasOptions = (row: readonly unknown[]) => typeof row.at(-1) === 'object' && row.at(-1) !== null;

const optionsOf = (row: readonly unknown[]): Options => (hasOptions(row) ? (row.at(-1) as Options) : {});

const rowForm = 'write [namespace, name, dimension, value, …, options] or [{ expression }].';
