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
import { maxAttempts, type RequestTimeouts } from '../data/store/store.ts';

/** The maximum number of rows in a page of query results from CloudWatch Logs. */
export const maxLogRows = 10_000;

/** The maximum number of rows of a query in all pages together. */
const maxAnswerRows = 100_000;

/**
 * Whether a result with this number of rows may be truncated. AWS does not document whether results of `stats` end at one page
 * or at `maxAnswerRows`; both are multiples of `maxLogRows`.
 */
export const mayBeCutOff = (rows: number): boolean => rows > 0 && rows % maxLogRows === 0;

/** A range of whole seconds: from the second of `fromMs` to the end of the second of `toMs`. */
export type LogRange = { readonly fromMs: number; readonly toMs: number };

/** The fields of a row; a row has no fields without a value. */
type LogFields = Readonly<Record<string, string>>;

/**
 * Runs a query in the language of CloudWatch Logs Insights on a log group, and returns the rows of the first page. A page of
 * `maxLogRows` rows may not be all. Throws the SDK's errors, and LogQueryError if there is no complete result.
 */
export type QueryLog = (query: string, range: LogRange) => Promise<readonly LogFields[]>;

/**
 * Runs the query in the same way and yields all pages. The next page is fetched when the consumer asks for it.
 */
export type QueryLogPages = (query: string, range: LogRange) => AsyncIterable<readonly LogFields[]>;

/** A query that was started has failed, has not completed within its time, or has a result that is too large. */
export class LogQueryError extends Error {
  override readonly name = 'LogQueryError';
}

/** Returns a reader of the log of requests, which the variables name. */
export const createLogReader = (
  variables: Readonly<Record<string, string | undefined>>,
  timeouts: RequestTimeouts,
): QueryLogPages => {
  const client = new CloudWatchLogsClient({
    maxAttempts,
    requestHandler: { ...timeouts, throwOnRequestTimeout: true },
  });
  return (queryString, range) => {
    const logGroupName = requireVariable(variables, requestLogVariable, 'names a log that it queries');
    return queryLogGroup(client, { logGroupName, queryString }, range, allPages);
  };
};

/** The limit of rows, and how long the reader waits for the first page. */
type Extent = { readonly limit: number; readonly patienceMs: number };

const onePage: Extent = { limit: maxLogRows, patienceMs: 120_000 };
/** A job has further queries to run, and ends before its Lambda timeout. */
const allPages: Extent = { limit: maxAnswerRows, patienceMs: 60_000 };

/** Queries the log group of this name, and reads one page. */
export const logReaderOf =
  (client: CloudWatchLogsClient, groupName: () => string): QueryLog =>
  async (queryString, range) => {
    for await (const page of queryLogGroup(client, { logGroupName: groupName(), queryString }, range, onePage))
      return page;
    return [];
  };

/**
 * Parses a time in a row to epoch milliseconds: `2026-11-25 02:00:00.000` is in UTC, and some functions return milliseconds.
 */
export const timeInLog = (text = ''): number =>
  /^\d+$/.test(text) ? Number(text) : Date.parse(`${text.replace(' ', 'T')}Z`);

/** Most queries are answered within a second or two. */
const pollMs = 500;

async function* queryLogGroup(
  client: CloudWatchLogsClient,
  { logGroupName, queryString }: { readonly logGroupName: string; readonly queryString: string },
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
 * CloudWatch rejects a query with these messages if its time range is before the creation of the log group, or older than the
 * retention of its lines: there are no such lines. An invalid query has the same exception with another message.
 */
const isOutsideOfLog = (fault: unknown): boolean =>
  fault instanceof MalformedQueryException && /before the log group|log retention/.test(fault.message);

type Row = NonNullable<GetQueryResultsCommandOutput['results']>[number];

/** Treats an empty field as a missing one: the service logs no empty values. */
const fieldsOf = (row: Row): LogFields =>
  Object.fromEntries(row.flatMap(({ field, value }) => (field && value ? [[field, value]] : [])));
