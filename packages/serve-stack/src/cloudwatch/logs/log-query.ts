import { UserFacingError } from '../../errors/user-facing-error.ts';
import { createScanner, type Scanner } from '../expression.ts';
import type { TimeRange } from '../metrics/time-series.ts';
import { type Answer, type Command, commandReaders } from './log-commands.ts';
import type { LogValue } from './log-expression.ts';
import type { LogStore } from './log-store.ts';

export type LogQuery = { readonly logGroups: readonly string[]; readonly commands: readonly Command[] };

export type Table = { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** CloudWatch answers so many rows without a `limit`. */
const maxRows = 10_000;

/** Every command is tried on it: what is not known of it has to be an error even where no event would reach it. */
const trial: Answer = { columns: [], rows: [new Map(), new Map()] };

/** A line of its own; elsewhere a # may be part of a text. */
const comment = /^\s*#.*$/gm;

/** A query of CloudWatch Logs Insights; what is not known of it is an error that names it. */
export const parseLogQuery = (text: string): LogQuery => {
  const scanner = createScanner(text.replace(comment, ''), 'the log query');
  const logGroups: string[] = [];
  const commands: Command[] = [];
  do {
    const name = scanner.accept(/\w+/y) ?? scanner.fail();
    if (name === 'SOURCE') logGroups.push(readText(scanner));
    else {
      const read = commandReaders[name];
      if (!read) throw new UserFacingError(`The local run does not know the command ${name} of a log query.`);
      const command = read(scanner);
      command(trial);
      commands.push(command);
    }
  } while (scanner.accept(/\|/y));
  return scanner.isAtEnd() ? { logGroups, commands } : scanner.fail();
};

/** Runs a query over the events of a range, newest first. */
export const runLogQuery = ({ logGroups, commands }: LogQuery, logStore: LogStore, range: TimeRange): Table => {
  const rows = logStore.events(logGroups, range).map(({ fields }) => fields);
  const answer = commands.reduce<Answer>((soFar, command) => command(soFar), { columns: [], rows });
  const columns = answer.columns.length === 0 ? ['@timestamp', '@message'] : answer.columns;
  return {
    columns,
    rows: answer.rows.slice(0, maxRows).map((row) => columns.map((column) => textOf(row.get(column)))),
  };
};

/** Writes a value as CloudWatch shows it: times without their zone, numbers to four decimals, booleans as 1 and 0. */
const textOf = (value: LogValue): string => {
  if (value instanceof Date) return value.toISOString().replace('T', ' ').replace('Z', '');
  if (typeof value === 'number') return String(Number(value.toFixed(4)));
  return typeof value === 'boolean' ? String(Number(value)) : (value ?? '');
};

const readText = (scanner: Scanner): string => scanner.accept(/'[^']*'|"[^"]*"/y)?.slice(1, -1) ?? scanner.fail();
