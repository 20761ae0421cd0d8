import { createCloudWatch } from 'serve-stack/cloudwatch';
import * as z from 'zod/mini';
import { usageRunEvent } from '../../lambdas/api/log-events/background-events.ts';
import type { RequestEvent } from '../../lambdas/api/log-events/request-event.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { handler } from '../../lambdas/jobs/recordUsage.ts';
import { maxLogRows, type QueryLog, type QueryLogPages } from '../../lambdas/runtime/log-queries.ts';
import { theWorld } from './world.ts';

/** The most rows with which CloudWatch answers a query. */
export const maxAnswerRows = 100_000;

/**
 * The fields of a request log line that counts read, the delay between the request and the line by the clock of the log, and the
 * time from which queries see the line.
 */
export type RequestLine = Pick<RequestEvent, 'timestamp' | 'operation' | 'decision'> &
  Partial<Pick<RequestEvent, 'companyId' | 'keyId' | 'reason' | 'ratePolicy' | 'path'>> & {
    readonly seenAtMs?: number;
    readonly writtenAfterMs?: number;
  };

const group = 'requests';

/** A log of requests with a clock, which answers queries as CloudWatch Logs does. */
export const createRequestLog = (lines: readonly RequestLine[]) => {
  const cloudWatch = createCloudWatch({
    template: { Resources: {} } as never,
    resolve: ((value: unknown) => value) as never,
  });
  const waiting = lines
    .map(({ seenAtMs, ...line }) => ({ seenAtMs: seenAtMs ?? Date.parse(line.timestamp), line }))
    .toSorted((one, other) => one.seenAtMs - other.seenAtMs);
  const asked: string[] = [];
  let shown = 0;
  const query: QueryLogPages = async function* (text, { fromMs, toMs }) {
    asked.push(text);
    const range = { fromMs: Math.floor(fromMs / 1000) * 1000, toMs: Math.floor(toMs / 1000) * 1000 + 1000 };
    const { columns, rows } = cloudWatch.queryLogs(text, [group], range, maxAnswerRows);
    const found = rows.map((row) =>
      Object.fromEntries(
        columns.flatMap((column, index) => (row[index] === '' ? [] : [[column, row[index] as string]])),
      ),
    );
    yield* pagesOf(found);
  };
  return {
    /** The queries that were started. */
    asked,
    showUntil: (nowMs: number) => {
      for (; shown < waiting.length && (waiting[shown]?.seenAtMs ?? 0) <= nowMs; shown++) {
        const { writtenAfterMs = 200, ...line } = (waiting[shown] as (typeof waiting)[number]).line;
        const atMs = Date.parse(line.timestamp) + writtenAfterMs;
        cloudWatch.putLogEvent({ logGroup: group, atMs, message: JSON.stringify(line) });
      }
    },
    query,
    queryPage: (async (...question) => {
      for await (const page of query(...question)) return page;
      return [];
    }) satisfies QueryLog,
  };
};

const pagesOf = function* <Row>(rows: readonly Row[]): Iterable<readonly Row[]> {
  for (let start = 0; start === 0 || start < rows.length; start += maxLogRows)
    yield rows.slice(start, start + maxLogRows);
};

/** The hours that were queried. */
export const hoursIn = (asked: readonly string[]): string[] =>
  asked.flatMap((query) => /\/\^(\S{13})\//.exec(query)?.[1] ?? []);

/** The requests of a company in an hour, as rows that a query can aggregate. */
type LogRow = Readonly<Partial<Record<keyof RequestEvent | 'requests', string>>>;

export type CompanyRows = readonly [companyId: string, rows: readonly LogRow[]];

/**
 * A log of many companies with the same requests in every hour. It answers the queries of the job in pages of 10,000 rows, and
 * truncates results as CloudWatch does.
 */
export const createCountedLog = (
  companies: readonly CompanyRows[],
  { answerRows = maxAnswerRows }: { readonly answerRows?: number } = {},
) => {
  const asked: string[] = [];
  const pages: number[] = [];
  return {
    asked,
    /** The number of rows of each returned page. */
    pages,
    showUntil: () => undefined,
    query: async function* (query) {
      asked.push(query);
      const grouped = new Map<readonly LogRow[], readonly LogRow[]>();
      const rows: LogRow[] = [];
      const isAsked = filterOf(query);
      for (const [companyId, own] of companies) {
        if (!isAsked(companyId)) continue;
        const groups = grouped.get(own) ?? groupsOf(query, own);
        grouped.set(own, groups);
        for (const group of groups) rows.push({ companyId, ...group });
      }
      if (query.includes('sort')) rows.sort((one, other) => Number(other.requests) - Number(one.requests));
      for (const page of pagesOf(rows.slice(0, answerRows))) {
        pages.push(page.length);
        yield page as readonly Readonly<Record<string, string>>[];
      }
    } satisfies QueryLogPages,
  };
};

/** The conditions of a query about the companies. */
const filterOf = (query: string): ((companyId: string) => boolean) => {
  const [, from] = /companyId like \/(\S+)\//.exec(query) ?? [];
  const [, before] = /companyId not like \/(\S+)\//.exec(query) ?? [];
  const [isFrom, isBehind] = [new RegExp(from ?? ''), new RegExp(before ?? '$.')];
  return (companyId) => isFrom.test(companyId) && !isBehind.test(companyId);
};

/** The rows of a company as a query adds them up. */
const groupsOf = (query: string, rows: readonly LogRow[]): readonly LogRow[] => {
  const isLimited = query.includes('decision = "limited"');
  const columns = (/ by (.+)/.exec(query)?.[1] ?? '').split(', ') as (keyof LogRow)[];
  const asked = rows.filter(({ decision }) => !isLimited || decision === 'limited');
  const groups = Map.groupBy(asked, (row) => columns.map((column) => row[column] ?? '').join('\n'));
  return [...groups.values()].map((group) => {
    const [row = {}] = group;
    const fields = columns.flatMap((column) => (row[column] === undefined ? [] : [[column, row[column]]]));
    const requests = group.reduce((sum, each) => sum + Number(each.requests), 0);
    return { ...Object.fromEntries(fields), requests: String(requests) };
  });
};

type Log = {
  readonly showUntil: (nowMs: number) => void;
  readonly query: QueryLogPages;
};

type RunOptions = {
  readonly input?: { readonly since: string };
  readonly store?: Store;
  readonly query?: QueryLogPages;
  readonly logRetentionDays?: number;
  /** The clock of the process, which starts at the time of the run. */
  readonly passedMs?: () => number;
  /** Receives the log line of the run. */
  readonly toLine?: (line: z.output<typeof usageRunEvent>) => void;
};

/** Runs the job that counts requests at a given time; returns its log line, and throws its errors. */
export const recordUsageAt = async (log: Log, nowMs: number, options: RunOptions = {}) => {
  const { environment } = theWorld();
  const { input, store = environment.store, query = log.query, logRetentionDays = 90, passedMs = () => 0 } = options;
  const lines: z.output<typeof usageRunEvent>[] = [];
  log.showUntil(nowMs);
  try {
    await handler.withEnvironment({
      ...environment,
      store,
      processTimeMs: () => nowMs + passedMs(),
      log: (line) => void lines.push(z.parse(usageRunEvent, JSON.parse(line))),
      setting: (name) => (name === 'logRetentionDays' ? logRetentionDays : environment.setting(name)) as never,
      queryLog: query,
    })(input, undefined);
  } finally {
    for (const line of lines) options.toLine?.(line);
  }
  return lines[0] as (typeof lines)[number];
};
