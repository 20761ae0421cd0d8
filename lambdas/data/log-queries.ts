import { setTimeout as wait } from 'node:timers/promises';
import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  type GetQueryResultsCommandOutput,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { requestLogVariable, requireVariable } from '../api/environment.ts';
import { maxAttempts, type RequestTimeouts } from './store/store.ts';

/** CloudWatch Logs answers a query with at most so many rows at once. */
export const maxLogRows = 10_000;

/** From the second of one time to the end of that of the other. */
export type LogRange = { readonly fromMs: number; readonly toMs: number };

/**
 * Asks a log group in the language of CloudWatch Logs Insights, and gives the rows, each the fields that it has. As many rows as
 * `maxLogRows` may be not all. Throws what the SDK throws, and LogQueryError if there is no whole answer.
 */
export type QueryLog = (query: string, range: LogRange) => Promise<Readonly<Record<string, string>>[]>;

/** A query has begun, and ended without an answer, or not within its time. */
export class LogQueryError extends Error {
  override readonly name = 'LogQueryError';
}

/** Asks the log of requests, whose name stands in those variables. */
export const createLogReader = (
  variables: Readonly<Record<string, string | undefined>>,
  timeouts: RequestTimeouts,
): QueryLog => {
  const client = new CloudWatchLogsClient({
    maxAttempts,
    requestHandler: { ...timeouts, throwOnRequestTimeout: true },
  });
  return logReaderOf(client, () => requireVariable(variables, requestLogVariable, 'names a log that it queries'));
};

/** Asks the log group of this name. */
export const logReaderOf =
  (client: CloudWatchLogsClient, groupName: () => string): QueryLog =>
  (query, range) =>
    queryLogGroup(client, groupName(), query, range);

/** A time in a row, in milliseconds: `2026-11-25 02:00:00.000` is in UTC, and some functions give milliseconds. */
export const timeInLog = (text = ''): number =>
  /^\d+$/.test(text) ? Number(text) : Date.parse(`${text.replace(' ', 'T')}Z`);

/** Most queries are answered within a second or two; no one waits for a longer one than this. */
const patienceMs = 120_000;
const pollMs = 500;

const queryLogGroup = async (
  client: CloudWatchLogsClient,
  logGroupName: string,
  queryString: string,
  { fromMs, toMs }: LogRange,
): ReturnType<QueryLog> => {
  const { queryId } = await client.send(
    new StartQueryCommand({
      logGroupName,
      queryString,
      startTime: Math.floor(fromMs / 1000),
      endTime: Math.floor(toMs / 1000),
      limit: maxLogRows,
    }),
  );
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pollMs) {
    const { status, results = [] } = await client.send(new GetQueryResultsCommand({ queryId }));
    if (status === 'Complete') return results.map(rowOf);
    if (!isUnderWay(status)) throw new LogQueryError(`A query of ${logGroupName} has ended with ${status}.`);
    await wait(pollMs);
  }
  throw new LogQueryError(`A query of ${logGroupName} takes longer than ${patienceMs / 1000} s.`);
};

const isUnderWay = (status: GetQueryResultsCommandOutput['status']): boolean =>
  status === 'Scheduled' || status === 'Running' || status === 'Unknown';

type Row = NonNullable<GetQueryResultsCommandOutput['results']>[number];

const rowOf = (row: Row): Record<string, string> =>
  Object.fromEntries(row.flatMap(({ field, value }) => (field && value !== undefined ? [[field, value]] : [])));
