import * as z from 'zod';
import { relayedChange } from '../../lambdas/api/log-events/background-events.ts';
import { namesOf } from '../../lambdas/api/log-events/request-event.ts';
import { gatewayProblems, problems } from '../../lambdas/api/problems.ts';
import { type AuditRow, readAuditSince } from '../../lambdas/data/audit.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { resourceOf, shownValues } from '../../lambdas/domain/audit-visibility.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { timeInLog } from '../../lambdas/runtime/log-queries.ts';
import { defineCommand } from '../cli/command.ts';
import type { View } from '../cli/output.ts';
import { rangeSince, sinceOption } from '../cli/times.ts';
import { type Fate, fate, fateActions, readFates } from '../companies/change-fate.ts';
import { access, accessIn, accessQuery, lineQuery, served, servedIn } from '../companies/request-lines.ts';
import { OperatorError } from '../error.ts';

const text = z.string().nullable();

const values = z.record(z.string(), z.unknown()).nullable();

const change = z.strictObject({
  /** The path of what was changed; null for the company itself. */
  resource: text,
  before: values,
  after: values,
  /** What became of each requested property of a home; null for other changes, which have effect at once. */
  fates: z.record(z.string(), fate).nullable(),
});

const sent = z.strictObject({ timestamp: z.iso.datetime(), outcome: z.string() });

const output = z.strictObject({
  requestId: z.string(),
  /** Null if no function has logged the request. */
  served: served.nullable(),
  /** Null if API Gateway has not logged the request. */
  access: access.nullable(),
  changes: z.array(change),
  /** When the relay sent the change to the gateway backend. A line names only the newest of the requests that it sent. */
  sent: z.array(sent),
});

type Output = z.output<typeof output>;

export const requestShow = defineCommand({
  noun: 'request',
  verb: 'show',
  summary:
    'Show a request by the x-request-id of its answer: who called with which key, the outcome, the problem, the durations, what became of the changes that it made, and the line of API Gateway, also if no function was called',
  arguments: {
    requestId: {
      summary: 'the x-request-id of the answer, which is requestId in a problem',
      schema: z
        .string()
        .regex(
          /^[\w+/-]{1,62}={0,2}$/,
          'is not an x-request-id: letters, digits and + / _ - with = at the end, like ZuT4rGDNoAMFxXw=',
        ),
    },
  },
  options: { since: sinceOption('24h') },
  changes: false,
  requirements: {
    tableActions: { ...fateActions, AuditLog: ['Query'] },
    serviceActions: ['logs:GetQueryResults', 'logs:StartQuery'],
  },
  output,
  run: async ({ connect, nowMs, config }, { requestId, since }) => {
    const range = rangeSince(since, nowMs);
    const { store, queryLog } = await connect();
    const [lines, accesses] = await Promise.all([
      queryLog.requests(lineQuery(requestId), range),
      queryLog.access(accessQuery(requestId), range),
    ]);
    const found = lines.map((row) => servedIn(row['@message'])).find((each) => each !== undefined) ?? null;
    const [accessed] = accesses;
    if (found === null && accessed === undefined)
      throw new OperatorError(
        'not-found',
        [
          `No log line since ${toTimestamp(range.fromMs)} has the x-request-id ${requestId}.`,
          'CloudWatch may show a line a minute after its request: if the request is that new, ask again.',
          `If it is older, add --since, like --since 7d; the stage keeps its lines for ${config.logRetentionDays} days.`,
          'It may also be a request of another stage.',
          ...(isUuid.test(requestId)
            ? ['A UUID is no x-request-id: it is an x-amzn-RequestId, or the id of an operator’s command (audit list).']
            : []),
        ].join(' '),
      );
    const changes = found?.companyId ? await readChanges(store, requestId, found.companyId, found.timestamp) : [];
    const hasRelayed = changes.some(({ fates }) => fates !== null);
    const relayed = hasRelayed ? await queryLog.consumers(relayedQuery(requestId), range) : [];
    return {
      requestId,
      served: found,
      access: accessed ? accessIn(accessed) : null,
      changes,
      sent: relayed.map((row) => ({
        timestamp: toTimestamp(timeInLog(row['@timestamp'])),
        outcome: row[relay.outcome] ?? '',
      })),
    };
  },
  view: (shown) => [{ fields: requestRow(shown) }, ...changeSections(shown)],
});

const isUuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const relay = namesOf(relayedChange.shape);

const relayedQuery = (requestId: string): string =>
  `fields @timestamp, ${relay.outcome}\n| filter ${relay.requestId} = "${requestId}"\n| sort @timestamp desc\n| limit 10`;

/** A request and its audit rows have the same time. */
const readChanges = async (store: Store, requestId: string, companyId: string, timestamp: string) => {
  const [fromMs, untilMs] = [Date.parse(timestamp), Date.parse(timestamp) + 1];
  const rows = await readAuditSince(store, store.tableName('AuditLog'), companyId, fromMs, untilMs);
  return Promise.all(rows.filter((row) => row.requestId === requestId).map((row) => changeIn(store, row)));
};

/** The values of a home have the names of its fates: each level by its own, and not in a list as for companies. */
const changeIn = async (store: Store, row: AuditRow): Promise<z.output<typeof change>> => {
  const resource = resourceOf(row);
  if (row.gatewayId === undefined)
    return { resource, before: shownValues(row, 'before'), after: shownValues(row, 'after'), fates: null };
  return { resource, before: row.before ?? null, after: row.after ?? null, fates: await readFates(store, row) };
};

/** Returns what is known, by the names in the log, which queries have, too. */
const requestRow = ({ requestId, served: by, access: at }: Output) => {
  const problem = by ? by.problem : problemAtGateway(at);
  const { timestamp: _, status: __, ...only } = at ?? {};
  const known = {
    requestId,
    ...only,
    ...(by ?? { timestamp: at?.timestamp, status: at?.status, operation: 'no function was called' }),
    problem: problem?.title,
    detail: problem?.detail,
    storeMs: by?.storeMs && JSON.stringify(by.storeMs),
    next: nextOf(by, at),
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null && value !== undefined));
};

/** Returns the problem with which API Gateway answers itself. */
const problemAtGateway = (at: Output['access']) => {
  if (at === null || at.errorType === null) return undefined;
  // AWS WAF blocks unregistered addresses with 403, and addresses that send too much with 429.
  const ofWaf = at.status === '403' ? gatewayProblems.ACCESS_DENIED : gatewayProblems.THROTTLED;
  const code = at.errorType === 'WAF_FILTERED' ? ofWaf : gatewayProblems[at.errorType];
  return code && problems[code];
};

/** What a person can do next, if the lines suggest anything. */
const nextOf = (by: Output['served'], at: Output['access']): string | undefined => {
  if (by) return by.stack ? 'trace resolve shows the source lines of the stack' : undefined;
  if (at?.errorType === null || at?.errorType.startsWith('INTEGRATION'))
    return 'The function has not logged the request: ask again in a minute; if there is no line then, it crashed or timed out';
  if (at?.status === '403') return `address check ${at.sourceIp} shows who has registered the address`;
  return undefined;
};

const changeSections = ({ changes, sent: lines }: Output): View => [
  ...(changes.length > 0 ? [{ title: 'Changes', rows: changes.flatMap(changeRows) }] : []),
  ...(changes.some(({ fates }) => fates !== null)
    ? [
        {
          title: 'Sent to the gateway backend',
          rows: lines,
          ifEmpty: 'no line of this request: the change is not sent yet, or was sent together with a later one',
        },
      ]
    : []),
];

const changeRows = ({ resource, before, after, fates }: Output['changes'][number]) => {
  const names = Object.keys(after ?? before ?? {});
  return (names.length > 0 ? names : [null]).map((name) => ({
    resource,
    property: name,
    before: name && valueText(before?.[name]),
    after: name && valueText(after?.[name]),
    'what became of it': fates === null || name === null ? 'recorded' : fateText(fates[name]),
  }));
};

/** The JSON output has the whole value. */
const valueText = (value: unknown): string | undefined => {
  const written = value === undefined ? undefined : JSON.stringify(value);
  return written && written.length > 20 ? `${written.slice(0, 20)}…` : written;
};

const fateText = (each: Fate | undefined): string => {
  if (!each) return 'unknown';
  const { state, because, at, validUntil } = each;
  const cause = because && (state === 'replaced' ? `by ${because}` : `because of ${because}`);
  return [state, validUntil && `until ${validUntil}`, at && `at ${at}`, cause].filter(Boolean).join(' ');
};
