import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { parseLogQuery, runLogQuery, type Table } from '../cloudwatch/log-query.ts';
import { createLogStore, type LogStore, logEventOf, objectIn } from '../cloudwatch/log-store.ts';
import type { TimeRange } from '../cloudwatch/metric-store.ts';
import { UserFacingError } from '../errors.ts';
import type { LogDestination } from '../functions/function-definitions.ts';
import { closeServer, listenerOf, listenOnLoopback } from '../host/servers.ts';
import { refusalMessage } from '../iam/access.ts';
import type { AccessKeys } from '../iam/principals.ts';
import type { Environment } from '../template/stack.ts';

type Options = {
  readonly environment: Environment;
  readonly accessKeys: AccessKeys;
  /** Contains a file for each function, `<its name>.log`, and one for the access log. */
  readonly logsDirectory: string;
  /** Returns the current log destinations by the names of the files. */
  readonly destinations: () => ReadonlyMap<string, LogDestination>;
};

/** The name of the file of the access log, without `.log`. */
export const accessLogName = 'access';

type Request = {
  readonly logGroupName?: string;
  readonly logGroupNames?: readonly string[];
  readonly startTime?: number;
  readonly endTime?: number;
  readonly queryString?: string;
  readonly limit?: number;
  readonly queryId?: string;
  readonly maxItems?: number;
  readonly nextToken?: string;
};

type Answer = Readonly<Record<string, unknown>>;

/**
 * The number of queries whose results are kept. CloudWatch keeps results longer, but a caller here fetches them long before
 * that.
 */
const keptResults = 1000;

/** The most results of one query, and the most of one GetQueryResults. */
const maxResults = 100_000;
const maxResultsAtOnce = 10_000;

/**
 * Serves the queries of CloudWatch Logs Insights, StartQuery and GetQueryResults, over the logs of the stack's functions and API in
 * this run. Roles decide, and a query that the local run does not understand is refused, like a malformed one on AWS.
 */
export const startLogService = async ({ environment, accessKeys, logsDirectory, destinations }: Options) => {
  const { partition, region, accountId } = environment;
  const results = new Map<string, Table>();

  const authorize = (incoming: IncomingMessage, operation: string, resources: readonly string[]): void => {
    const principal = accessKeys.principalOf(incoming);
    if (!principal)
      throw new Refusal('UnrecognizedClientException', 'The security token included in the request is invalid.');
    for (const resource of resources) {
      const request = { action: `logs:${operation}`, resource, secureTransport: true };
      const decision = principal.decide(request);
      const how = { kind: 'identity-based', isExplicit: decision === 'explicit deny' } as const;
      if (decision !== 'allow') throw new Refusal('AccessDeniedException', refusalMessage(principal, request, how));
    }
  };

  const operations: Readonly<Record<string, (incoming: IncomingMessage, request: Request) => Answer>> = {
    StartQuery: (incoming, { logGroupName, logGroupNames = [], startTime, endTime, queryString = '', limit }) => {
      const groups = [...(logGroupName === undefined ? [] : [logGroupName]), ...logGroupNames];
      if (groups.length === 0 || startTime === undefined || endTime === undefined || endTime < startTime)
        throw new Refusal('InvalidParameterException', 'A query takes log groups by their names, and a time range.');
      authorize(
        incoming,
        'StartQuery',
        groups.map((group) => `arn:${partition}:logs:${region}:${accountId}:log-group:${group}:*`),
      );
      const files = filesOf(groups, destinations());
      // The seconds are inclusive, and the end of the store's range is exclusive.
      const range = { fromMs: startTime * 1000, toMs: (endTime + 1) * 1000 };
      const logStore = readLogs(logsDirectory, files, range);
      if (limit !== undefined && (limit < 1 || limit > maxResults))
        throw new Refusal('InvalidParameterException', `A query gives 1 to ${maxResults} results.`);
      const query = { ...parsed(queryString), logGroups: groups };
      const queryId = randomUUID();
      results.set(queryId, runLogQuery(query, logStore, range, limit));
      for (const old of [...results.keys()].slice(0, -keptResults)) results.delete(old);
      return { queryId };
    },

    GetQueryResults: (incoming, { queryId = '', maxItems = maxResultsAtOnce, nextToken = '0' }) => {
      authorize(incoming, 'GetQueryResults', ['*']);
      const found = results.get(queryId);
      if (!found) throw new Refusal('ResourceNotFoundException', `There is no query with the id ${queryId}.`);
      const end = Number(nextToken) + Math.min(maxItems, maxResultsAtOnce);
      return {
        status: 'Complete',
        results: found.rows.slice(Number(nextToken), end).map((row) => fieldsOf(found.columns, row)),
        ...(end < found.rows.length && { nextToken: String(end) }),
      };
    },
  };

  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const request = (await json(incoming)) as Request;
    const operation = /^Logs_20140328\.(\w+)$/.exec(String(incoming.headers['x-amz-target']))?.[1] ?? '';
    const run = operations[operation];
    try {
      if (!run)
        throw new Refusal(
          'InvalidOperationException',
          `The local run knows StartQuery and GetQueryResults of CloudWatch Logs, not ${operation}.`,
        );
      return respond(answer, 200, run(incoming, request));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return respond(answer, 400, { __type: error.code, message: error.message });
    }
  };

  const server = createServer(listenerOf(serve));
  return { endpoint: `http://${await listenOnLoopback(server)}`, close: () => closeServer(server) };
};

/** An error of CloudWatch Logs, with its code. */
class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const respond = (answer: ServerResponse, status: number, body: object) =>
  answer.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));

const parsed = (queryString: string) => {
  try {
    return parseLogQuery(queryString);
  } catch (error) {
    if (!(error instanceof UserFacingError)) throw error;
    throw new Refusal('MalformedQueryException', error.message);
  }
};

/** Omits the columns that have no value in a row. */
const fieldsOf = (columns: readonly string[], row: readonly string[]) =>
  columns.map((field, index) => ({ field, value: row[index] ?? '' })).filter(({ value }) => value !== '');

type LogFile = LogDestination & { readonly name: string };

const filesOf = (groups: readonly string[], destinations: ReadonlyMap<string, LogDestination>): LogFile[] => {
  const all = [...destinations].map(([name, destination]) => ({ name, ...destination }));
  const unknown = groups.find((group) => !all.some(({ logGroup }) => logGroup === group));
  if (unknown !== undefined)
    throw new Refusal(
      'ResourceNotFoundException',
      `Neither a function nor the API logs to ${unknown}; the local run keeps no other logs.`,
    );
  return all.filter(({ logGroup }) => groups.includes(logGroup));
};

/**
 * Reads the lines of some files in a range. In the access log, the time precedes the line, whose format need not contain it. A
 * line without a time has the time of the previous line.
 */
const readLogs = (logsDirectory: string, files: readonly LogFile[], { fromMs, toMs }: TimeRange): LogStore => {
  const store = createLogStore();
  for (const { name, logGroup, logStream } of files) {
    const file = join(logsDirectory, `${name}.log`);
    if (!existsSync(file)) continue;
    let atMs = 0;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [, arrival, message = line] = /^(\d{4}-\S+Z) (\{.*)$/.exec(line) ?? [];
      atMs = arrival === undefined ? (timeOf(message) ?? atMs) : Date.parse(arrival);
      // Most lines are outside the range, and are not parsed.
      if (message === '' || atMs < fromMs || atMs >= toMs) continue;
      store.put(logEventOf({ logGroup, logStream, atMs, message }, objectIn(message)));
    }
  }
  return store;
};

/** Returns the time at the beginning of a JSON line, in Lambda's format, in ms. */
const timeOf = (message: string): number | undefined => {
  const [, timestamp] = /^\{"time(?:stamp)?":"([^"]+)"/.exec(message) ?? [];
  const atMs = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(atMs) ? undefined : atMs;
};
