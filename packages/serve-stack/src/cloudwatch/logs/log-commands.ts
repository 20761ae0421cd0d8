import { UserFacingError } from '../../errors/user-facing-error.ts';
import { type Expression, type Language, readExpression, type Scanner } from '../expression.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { aggregates, evaluateInGroup } from './log-aggregates.ts';
import { compare, comparisons, evaluateInRow, type LogRow, type LogValue } from './log-expression.ts';
import { compileGlob } from './log-glob.ts';

/** A column of an answer: what it is computed of, under its alias or its text in the query. */
type Column = { readonly name: string; readonly source: string; readonly expression: Expression };

/** An answer on its way through the commands; no columns are shown yet where `columns` is empty. */
export type Answer = { readonly columns: readonly string[]; readonly rows: readonly LogRow[] };

export type Command = (answer: Answer) => Answer;

const language: Language = {
  operators: [
    ['or'],
    ['and'],
    [...Object.keys(comparisons), 'like', 'not like', 'in', 'not in'],
    ['+', '-'],
    ['*', '/'],
  ],
  prefixes: { not: 2, '-': 5 },
  name: /`[^`]+`|\*|[@\w][\w.]*/y,
  functions: [...Object.keys(aggregates), 'ispresent', 'bin', 'ceil', 'floor'],
};

const fieldName = /`[^`]+`|[@\w][\w.]*/y;

const readColumn = (scanner: Scanner): Column => {
  const { value: expression, source } = scanner.withSource(() => readExpression(scanner, language));
  const name = source.replaceAll('`', '');
  return { name, source: name, expression };
};

const readColumns = (scanner: Scanner): Column[] => {
  const columns: Column[] = [];
  do {
    const column = readColumn(scanner);
    const alias = scanner.accept(/as\b/iy) && (scanner.accept(fieldName) ?? scanner.fail());
    columns.push({ ...column, name: alias?.replaceAll('`', '') ?? column.name });
  } while (scanner.accept(/,/y));
  return columns;
};

const withColumns = (row: LogRow, columns: readonly Column[]): LogRow =>
  new Map([...row, ...columns.map((column) => [column.name, valueIn(row, column)] as const)]);

/** A column that a command before has computed is read, not computed again: `sort bin(5m)` after `stats`. */
const valueIn = (row: LogRow, { source, expression }: Column): LogValue =>
  row.get(source) ?? evaluateInRow(expression, row);

/** Reads the text and the names of `parse @message "user=*, method=*" as user, method`. */
const readGlob = (scanner: Scanner) => {
  const glob = (scanner.accept(/"[^"\\]*"|'[^'\\]*'/y) ?? scanner.fail()).slice(1, -1);
  if (!scanner.accept(/as\b/iy)) scanner.fail();
  const names: string[] = [];
  do names.push((scanner.accept(fieldName) ?? scanner.fail()).replaceAll('`', ''));
  while (scanner.accept(/,/y));
  if (names.length !== glob.split('*').length - 1)
    throw new UserFacingError(`“${glob}” in the log query has not one * for each of ${names.join(', ')}.`);
  return { names, partsOf: compileGlob(glob) };
};

/** Lists the commands by name; each reads what stands behind its name. */
export const commandReaders: Readonly<Record<string, (scanner: Scanner) => Command>> = {
  fields: (scanner) => {
    const added = readColumns(scanner);
    return ({ columns, rows }) => ({
      columns: [...new Set([...columns, ...added.map(({ name }) => name)])],
      rows: rows.map((row) => withColumns(row, added)),
    });
  },

  display: (scanner) => {
    const shown = readColumns(scanner);
    return ({ rows }) => ({
      columns: shown.map(({ name }) => name),
      rows: rows.map((row) => withColumns(row, shown)),
    });
  },

  filter: (scanner) => {
    const condition = readExpression(scanner, language);
    return ({ columns, rows }) => ({ columns, rows: rows.filter((row) => evaluateInRow(condition, row)) });
  },

  parse: (scanner) => {
    const field = readColumn(scanner);
    const { names, partsOf } = readGlob(scanner);
    return ({ columns, rows }) => ({
      columns: [...new Set([...columns, ...names])],
      rows: rows.map((row) => {
        const parts = partsOf(String(valueIn(row, field) ?? ''));
        return new Map([
          ...row,
          ...names.flatMap((name, index) => (parts.length > 0 ? [[name, parts[index]] as const] : [])),
        ]);
      }),
    });
  },

  sort: (scanner) => {
    const keys: { readonly column: Column; readonly sign: number }[] = [];
    do {
      const column = readColumn(scanner);
      const direction = scanner.accept(/(asc|desc)\b/iy) ?? 'asc';
      keys.push({ column, sign: direction.toLowerCase() === 'asc' ? 1 : -1 });
    } while (scanner.accept(/,/y));
    const order = (a: LogRow, b: LogRow) =>
      keys.reduce(
        (found, { column, sign }) => found || sign * compareWithMissing(valueIn(a, column), valueIn(b, column)),
        0,
      );
    return ({ columns, rows }) => ({ columns, rows: rows.toSorted(order) });
  },

  limit: (scanner) => {
    const count = Number(scanner.accept(/\d+/y) ?? scanner.fail());
    return ({ columns, rows }) => ({ columns, rows: rows.slice(0, count) });
  },

  stats: (scanner) => {
    const computed = readColumns(scanner);
    const groups = scanner.accept(/by\b/iy) ? readColumns(scanner) : [];
    return ({ rows }) => ({
      columns: [...groups, ...computed].map(({ name }) => name),
      rows: groupRows(rows, groups).map(
        ([first, members]) =>
          new Map<string, LogValue>([
            ...groups.map(({ name }) => [name, first.get(name)] as const),
            ...computed.map(({ name, expression }) => [name, evaluateInGroup(expression, members)] as const),
          ]),
      ),
    });
  },
};

/** Puts missing values first. */
const compareWithMissing = (left: LogValue, right: LogValue): number => {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  return compare(left, right);
};

/** Groups rows by columns; without columns, all rows are one group, even if there are none. */
const groupRows = (rows: readonly LogRow[], columns: readonly Column[]): [LogRow, LogRow[]][] => {
  if (columns.length === 0) return [[new Map(), [...rows]]];
  const groups = new Map<string, [LogRow, LogRow[]]>();
  for (const row of rows) {
    const keyed = withColumns(row, columns);
    const key = JSON.stringify(columns.map(({ name }) => keyed.get(name) ?? null));
    getOrInsert(groups, key, (): [LogRow, LogRow[]] => [keyed, []])[1].push(keyed);
  }
  return [...groups.values()];
};
