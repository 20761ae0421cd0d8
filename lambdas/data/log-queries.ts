import { setTimeout as wait } from 'node:timers/promises';
import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  type GetQueryResultsCommandInput,
  type GetQueryResultsCommandOutput,
  MalformedQueryException,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { requestLogVariable, requireVariable } from '../api/environment.ts';
import { maxAttempts, type RequestTimeouts } from './store/store.ts';

/** CloudWatch Logs hands out so many rows of an answer at once: a page. */
export const maxLogRows = 10_000;

/** A query may have so many rows in all, page by page. */
export const maxAnswerRows = 100_000;

/**
 * Whether an answer of so many rows may be not all. The documents do not say whether an answer of `stats` ends at a page or
 * at `maxAnswerRows`: one that is cut off has a number of rows that both explain.
 */
export const mayBeCutOff = (rows: number): boolean => rows > 0 && rows % maxLogRows === 0;

/** From the second of one time to the end of that of the other. */
export type LogRange = { readonly fromMs: number; readonly toMs: number };

/** The fields that a row has. */
type LogFields = Readonly<Record<string, string>>;

/**
 * Asks a log group in the language of CloudWatch Logs Insights, and gives the rows of the first page. As many rows as
 * `maxLogRows` may be not all. Throws what the SDK throws, and LogQueryError if there is no whole answer.
 */
export type QueryLog = (query: string, range: LogRange) => Promise<readonly LogFields[]>;

/**
 * Asks in the same way, and gives the whole answer page by page: the next page is fetched when the one before is done with.
 */
export type QueryLogPages = (query: string, range: LogRange) => AsyncIterable<readonly LogFields[]>;

/** A query has begun, and ended without an answer, or not within its time. */
export class LogQueryError extends Error {
  override readonly name = 'LogQueryError';
}

/** Asks the log of requests, whose name stands in those variables. */
export const createLogReader = (
  variables: Readonly<Record<string, string | undefined>>,
  timeouts: RequestTimeouts,
): QueryLogPages => {
  const client = new CloudWatchLogsClient({
    maxAttempts,
    requestHandler: { ...timeouts, throwOnRequestTimeout: true },
  });
  return pageReaderOf(client, () => requireVariable(variables, requestLogVariable, 'names a log that it queries'));
};

/** How many rows are asked for, and how long the reader waits until the first ones are there. */
type Extent = { readonly limit: number; readonly patienceMs: number };

const onePage: Extent = { limit: maxLogRows, patienceMs: 120_000 };
/** A job has others to ask, and ends before Lambda ends it. */
const allPages: Extent = { limit: maxAnswerRows, patienceMs: 60_000 };

/** Asks the log group of this name, for a page. */
export const logReaderOf =
  (client: CloudWatchLogsClient, groupName: () => string): QueryLog =>
  async (query, range) => {
    for await (const page of queryLogGroup(client, groupName(), query, range, onePage)) return page;
    return [];
  };

/** Asks the log group of this name, for all pages. */
export const pageReaderOf =
  (client: CloudWatchLogsClient, groupName: () => string): QueryLogPages =>
  (query, range) =>
    queryLogGroup(client, groupName(), query, range, allPages);

/** A time in a row, in milliseconds: `2026-11-25 02:00:00.000` is in UTC, and some functions give milliseconds. */
export const timeInLog = (text = ''): number =>
  /^\d+$/.test(text) ? Number(text) : Date.parse(`${text.replace(' ', 'T')}Z`);

/** Most queries are answered within a second or two. */
const pollMs = 500;

async function* queryLogGroup(
  client: CloudWatchLogsClient,
  logGroupName: string,
  queryString: string,
  { fromMs, toMs }: LogRange,
  { limit, patienceMs }: Extent,
): AsyncIterable<readonly LogFields[]> {
  const seconds = { startTime: Math.floor(fromMs / 1000), endTime: Math.floor(toMs / 1000) };
  const queryId = await client
    .send(new StartQueryCommand({ logGroupName, queryString, ...seconds, limit }))
    .then((started) => started.queryId)
    .catch((fault: unknown) => {
      if (isOutsideOfLog(fault)) return undefined;
      throw fault;
    });
  if (queryId === undefined) return;
  const asked = { queryId, maxItems: maxLogRows };
  let answer = await untilComplete(client, asked, { logGroupName, patienceMs });
  for (;;) {
    yield (answer.results ?? []).map(fieldsOf);
    if (answer.nextToken === undefined) return;
    answer = await client.send(new GetQueryResultsCommand({ ...asked, nextToken: answer.nextToken }));
  }
}

const untilComplete = async (
  client: CloudWatchLogsClient,
  asked: GetQueryResultsCommandInput,
  { logGroupName, patienceMs }: Pick<Extent, 'patienceMs'> & { readonly logGroupName: string },
) => {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pollMs) {
    const answer = await client.send(new GetQueryResultsCommand(asked));
    if (answer.status === 'Complete') return answer;
    if (!isUnderWay(answer.status))
      throw new LogQueryError(`A query of ${logGroupName} has ended with ${answer.status}.`);
    await wait(pollMs);
  }
  throw new LogQueryError(`A query of ${logGroupName} takes longer than ${patienceMs / 1000} s.`);
};

const isUnderWay = (status: GetQueryResultsCommandOutput['status']): boolean =>
  status === 'Scheduled' || status === 'Running' || status === 'Unknown';

/**
 * A query about a time before the log group was created, or of which it has forgotten the lines, is refused with these words.
 * There are no lines of such a time. A query that is wrong is refused with other words of the same name.
 */
const isOutsideOfLog = (fault: unknown): boolean =>
  fault instanceof MalformedQueryException && /before the log group|log retention/.test(fault.message);

type Row = NonNullable<GetQueryResultsCommandOutput['results']>[number];

/** A field without a value is as one that the row does not have: no value that the service logs is empty. */
const fieldsOf = (row: Row): LogFields =>
  Object.fromEntries(row.flatMap(({ field, value }) => (field && value ? [[field, value]] : [])));
