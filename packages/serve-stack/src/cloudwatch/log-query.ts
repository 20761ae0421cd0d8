import { UserFacingError } from '../errors.ts';
import type { LogStore, LogValue } from './log-store.ts';
import { percentile, type TimeRange } from './metric-store.ts';

export type Table = { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

type LogRow = ReadonlyMap<string, LogValue | undefined>;

/** The intermediate result between commands. If `columns` is empty, no command has selected columns yet. */
type Answer = { readonly columns: readonly string[]; readonly rows: readonly LogRow[] };

type Command = (answer: Answer) => Answer;

type LogQuery = { readonly logGroups: readonly string[]; readonly commands: readonly Command[] };

/** The number of rows that CloudWatch returns for a query without a limit. */
const defaultLimit = 10_000;

/**
 * Parses a query of CloudWatch Logs Insights: commands with ` | ` between them, in the forms below. Throws an error that names
 * any other form.
 */
export const parseLogQuery = (text: string): LogQuery => {
  const logGroups: string[] = [];
  const commands: Command[] = [];
  for (const part of text.replace(/^\s*#.*$/gm, '').split(/\s\|\s/)) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.+)$/s.exec(part.trim()) ?? [];
    const [, logGroup] = (name === 'SOURCE' && /^'([^']+)'$/.exec(rest)) || [];
    const read = commandReaders[name];
    if (logGroup !== undefined) logGroups.push(logGroup);
    else if (read) commands.push(read(rest));
    else throw notUnderstood(part.trim());
  }
  return { logGroups, commands };
};

/** Runs a query over the events of a range, newest first. Returns at most `limit` rows. */
export const runLogQuery = (
  { logGroups, commands }: LogQuery,
  logStore: LogStore,
  range: TimeRange,
  limit = defaultLimit,
): Table => {
  const rows = logStore.events(logGroups, range).map(({ fields }) => fields);
  const answer = commands.reduce<Answer>((soFar, command) => command(soFar), { columns: [], rows });
  const columns = answer.columns.length === 0 ? ['@timestamp', '@message'] : answer.columns;
  return {
    columns,
    rows: answer.rows.slice(0, limit).map((row) => columns.map((column) => textOf(row.get(column)))),
  };
};

/** Formats a value as CloudWatch shows it: times without their zone, numbers to four decimals. */
const textOf = (value: LogValue | undefined): string => {
  if (value instanceof Date) return value.toISOString().replace('T', ' ').replace('Z', '');
  return typeof value === 'number' ? String(Number(value.toFixed(4))) : (value ?? '');
};

const notUnderstood = (part: string) =>
  new UserFacingError(`The local run does not understand this in a log query: ${part}`);

/** The parsers of commands, by name; each parses the text after the name. */
const commandReaders: Readonly<Record<string, (rest: string) => Command>> = {
  /** `fields @timestamp, storeMs.Query.0` */
  fields: (rest) => {
    const added = listIn(rest).map(fieldOf);
    return ({ columns, rows }) => ({ columns: [...columns, ...added], rows });
  },

  /** `filter ispresent(events) and outcome not in ["applied", "stale"]` */
  filter: (rest) => {
    const conditions = rest.split(/\s+and\s+/).map(conditionOf);
    return ({ columns, rows }) => ({ columns, rows: rows.filter((row) => conditions.every((holds) => holds(row))) });
  },

  /** `parse @logStream "*[*]*" as name, version, instance`: each `*` matches as few characters as possible. */
  parse: (rest) => {
    const [, source = '', glob = '', aliases] = /^(\S+) "([^"\\]+)" as (.+)$/.exec(rest) ?? [];
    const names = listIn(aliases);
    const literals = glob.split('*').map((literal) => literal.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
    if (names.length === 0 || literals.length !== names.length + 1) throw notUnderstood(`parse ${rest}`);
    for (const field of [source, ...names]) fieldOf(field);
    const pattern = new RegExp(literals.join('(.*?)') + (glob.endsWith('*') ? '$' : ''), 's');
    return ({ columns, rows }) => ({
      columns: [...columns, ...names],
      rows: rows.map((row) => {
        const [, ...parts] = pattern.exec(textOf(row.get(source))) ?? [];
        return new Map([...row, ...parts.map((part, index) => [names[index] ?? '', part] as const)]);
      }),
    });
  },

  /** `stats count(*) as requests, pct(durationMs, 50) as p50Ms by operation, bin(5m)` */
  stats: (rest) => {
    const [computed = '', grouped, ...others] = rest.split(/\s+by\s+/);
    if (others.length > 0) throw notUnderstood(`stats ${rest}`);
    const aggregates = listIn(computed).map(aggregateOf);
    const groups = listIn(grouped).map(groupOf);
    return ({ rows }) => ({
      columns: [...groups, ...aggregates].map(({ name }) => name),
      rows: groupRows(rows, groups).map(([keys, members]) => {
        const values = aggregates.map(({ name, compute }) => [name, compute(members)] as const);
        return new Map([...keys, ...values]);
      }),
    });
  },

  /** `sort @timestamp desc`; rows without a value come last. */
  sort: (rest) => {
    const [, field] = /^(\S+) desc$/.exec(rest) ?? [];
    if (field === undefined) throw notUnderstood(`sort ${rest}`);
    const by = fieldOf(field);
    return ({ columns, rows }) => ({ columns, rows: rows.toSorted((a, b) => compare(b.get(by), a.get(by))) });
  },

  limit: (rest) => {
    if (!/^\d+$/.test(rest)) throw notUnderstood(`limit ${rest}`);
    return ({ columns, rows }) => ({ columns, rows: rows.slice(0, Number(rest)) });
  },
};

/** `count(*) as a, pct(b, 50) as c` → its two items. */
const listIn = (text = ''): string[] => text.split(/\s*,\s*(?![^(]*\))/).filter((item) => item !== '');

const fieldOf = (text: string): string => {
  if (/^(@timestamp|@message|@logStream|\w+(\.\w+)*)$/.test(text)) return text;
  throw notUnderstood(text);
};

type Condition = (row: LogRow) => boolean;

/** All conditions except `ispresent` are false for a field that a row does not have. */
const conditionOf = (text: string): Condition => {
  const [, tested] = /^ispresent\((\S+)\)$/.exec(text) ?? [];
  if (tested !== undefined) {
    const field = fieldOf(tested);
    return (row) => row.get(field) !== undefined;
  }
  const [, left = '', operator = '', right = ''] = /^(\S+)\s+(=|!=|>|in|not in|like|not like)\s+(.+)$/.exec(text) ?? [];
  const test = testsBy[operator]?.(right);
  if (!test) throw notUnderstood(text);
  const field = fieldOf(left);
  return (row) => {
    const value = row.get(field);
    return value !== undefined && test(value);
  };
};

type Test = (value: LogValue) => boolean;

/** Returns a test for the text after an operator; `undefined` if the text is not understood. */
const testsBy: Readonly<Record<string, (right: string) => Test | undefined>> = {
  '=': (right) => ofOrder(right, (order) => order === 0),
  '!=': (right) => ofOrder(right, (order) => order !== 0),
  '>': (right) => ofOrder(right, (order) => order > 0),
  in: (right) => ofList(right, (isMember) => isMember),
  'not in': (right) => ofList(right, (isMember) => !isMember),
  like: (right) => ofPattern(right, (isMatch) => isMatch),
  'not like': (right) => ofPattern(right, (isMatch) => !isMatch),
};

const ofPattern = (right: string, holds: (isMatch: boolean) => boolean): Test | undefined => {
  const [, source] = /^\/((?:[^/\\]|\\.)+)\/$/.exec(right) ?? [];
  const pattern = source === undefined ? undefined : new RegExp(source);
  return pattern && ((value) => holds(pattern.test(textOf(value))));
};

const ofOrder = (right: string, holds: (order: number) => boolean): Test | undefined => {
  const literal = literalOf(right);
  return literal === undefined ? undefined : (value) => holds(compare(value, literal));
};

const ofList = (right: string, holds: (isMember: boolean) => boolean): Test | undefined => {
  const [, items] = /^\[(.+)\]$/.exec(right) ?? [];
  const literals = listIn(items).map(literalOf);
  if (literals.length === 0 || literals.includes(undefined)) return undefined;
  return (value) => holds(literals.some((literal) => compare(value, literal) === 0));
};

const literalOf = (text: string): LogValue | undefined => {
  const [, number, quoted] = /^(?:(\d+(?:\.\d+)?)|"([^"\\]*)")$/.exec(text) ?? [];
  return number === undefined ? quoted : Number(number);
};

/** Compares as numbers if both values are or look like numbers, otherwise as texts. A missing value comes before all others. */
const compare = (left: LogValue | undefined, right: LogValue | undefined): number => {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  const [a, b] = [Number(left), Number(right)];
  if (left !== '' && right !== '' && !Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  const [textA, textB] = [String(left), String(right)];
  return textA < textB ? -1 : Number(textA > textB);
};

/** A column that is computed from the rows of a group. */
type Aggregate = { readonly name: string; readonly compute: (rows: readonly LogRow[]) => LogValue | undefined };

const aggregateOf = (text: string): Aggregate => {
  const [, call = '', field = '', percent, name = ''] = /^(\w+)\((\S+?)(?:, (\d+))?\) as (\w+)$/.exec(text) ?? [];
  if (call === 'count' && field === '*') return { name, compute: (rows) => rows.length };
  const apply = aggregates[call];
  if (!apply || (call === 'pct') !== (percent !== undefined)) throw notUnderstood(text);
  const source = fieldOf(field);
  return {
    name,
    compute: (rows) =>
      apply(
        rows.flatMap((row) => row.get(source) ?? []),
        Number(percent),
      ),
  };
};

/** Aggregates of the present values. Events come newest first. */
const aggregates: Readonly<Record<string, (values: readonly LogValue[], percent: number) => LogValue | undefined>> = {
  count: (values) => values.length,
  count_distinct: (values) => new Set(values.map(textOf)).size,
  max: (values) => (values.length === 0 ? undefined : Math.max(...values.map(Number))),
  latest: ([newest]) => newest,
  earliest: (values) => values.at(-1),
  pct: (values, percent) => (values.length === 0 ? undefined : percentile(values.map(Number), percent)),
};

/** A column by which rows are grouped. */
type Group = { readonly name: string; readonly valueIn: (row: LogRow) => LogValue | undefined };

/** `bin(5m)` is the start of the row's five minutes. */
const groupOf = (text: string): Group => {
  const [, minutes] = /^bin\(([1-9]\d*)m\)$/.exec(text) ?? [];
  if (minutes === undefined) return { name: fieldOf(text), valueIn: (row) => row.get(text) };
  const sizeMs = Number(minutes) * 60_000;
  return {
    name: text,
    valueIn: (row) => new Date(Math.floor(Number(row.get('@timestamp')) / sizeMs) * sizeMs),
  };
};

/** Returns each group with its values and rows. Without columns to group by, all rows are one group, which may be empty. */
const groupRows = (rows: readonly LogRow[], groups: readonly Group[]): (readonly [LogRow, readonly LogRow[]])[] => {
  if (groups.length === 0) return [[new Map(), rows]];
  const found = Map.groupBy(rows, (row) => JSON.stringify(groups.map(({ valueIn }) => valueIn(row) ?? null)));
  return [...found.values()].map((members) => {
    const [row = new Map()] = members;
    return [new Map(groups.map(({ name, valueIn }) => [name, valueIn(row)])), members];
  });
};
