import * as z from 'zod';
import { requestFields } from '../../lambdas/api/log-events/request-event.ts';
import { type AuditPosition, type AuditRow, type AuditScope, readAuditLog } from '../../lambdas/data/audit.ts';
import { companyId, defineCommand, flag, idOf, limitOption } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { dayMs } from '../companies/keys.ts';
import type { Connection } from '../connection/connection.ts';
import { OperatorError } from '../error.ts';
import { queueActsOf } from '../integrations/integrations.ts';
import { type AuditEntry, auditEntry, presentAuditRow, targetIdNames } from '../owners/audit-entry.ts';

const since = z
  .string()
  .regex(/^(\d{1,4}d|\d{4}-\d\d-\d\d)$/, 'is no time; write days like 7d, or a date like 2026-11-01.')
  .refine((text) => text.endsWith('d') || !Number.isNaN(Date.parse(text)), 'is no date of the calendar.');

export const auditList = defineCommand({
  noun: 'audit',
  verb: 'list',
  summary:
    'List the changes on record for a company, a user or a gateway, the restores of tables or the acts on messages of the queues, the last one first',
  arguments: {},
  options: {
    company: { summary: 'its changes', placeholder: 'id', schema: companyId.schema.optional() },
    user: { summary: 'changes on behalf of this user', placeholder: 'id', schema: idOf('user').optional() },
    gateway: { summary: 'changes to this gateway', placeholder: 'id', schema: idOf('gateway').optional() },
    restores: flag('what restores did to the tables as a whole'),
    queues: flag('what operators sent to the queues, redrove and dropped, as far as it is of no one company'),
    since: { summary: 'days back, like 7d, or a date, like 2026-11-01', placeholder: 'time', schema: since.optional() },
    limit: limitOption(10_000),
  },
  changes: false,
  requirements: {
    tableActions: {
      AuditLog: ['Query'],
      'AuditLog/index/byUser': ['Query'],
      'AuditLog/index/byGateway': ['Query'],
    },
  },
  output: z.strictObject({
    entries: z.array(auditEntry),
    /** Whether the limit has cut off older ones. */
    hasMore: z.boolean(),
  }),
  run: async (context, { company, user, gateway, restores, queues, since: from, limit }) => {
    const ofCompany = { company, user, gateway };
    requireOne([...Object.values(ofCompany), restores || undefined, queues || undefined]);
    const connection = await context.connect();
    const ofStage = restores ? connection.stackName : queues ? queueActsOf(connection.stackName) : undefined;
    const scope = ofStage === undefined ? scopeOf(ofCompany) : ({ by: 'company', id: ofStage } as const);
    const found = await readSince(connection, scope, from === undefined ? 0 : timeOf(from, context.nowMs), limit + 1);
    const hasMore = found.length > limit;
    if (hasMore) context.talk(`There are older ones: raise --limit (${limit}), or shorten --since.`);
    if (ofStage === undefined) tellOfReads(context, connection, scope);
    return { entries: found.slice(0, limit).map(presentAuditRow), hasMore };
  },
  view: ({ entries }) => [{ rows: entries.map(rowOf), ifEmpty: 'nothing is on record' }],
});

const requireOne = (choices: readonly unknown[]) => {
  if (choices.filter((choice) => choice !== undefined).length !== 1)
    throw new OperatorError(
      'usage',
      'Whose changes? Add exactly one of --company, --user and --gateway, --restores for those of whole tables, or --queues for those of messages.',
    );
};

const scopeOf = (ids: Readonly<Record<AuditScope['by'], string | undefined>>): AuditScope => {
  const [scope] = Object.entries(ids).flatMap(([by, id]) => (id === undefined ? [] : [{ by, id }]));
  return scope as AuditScope;
};

/** Dates are UTC, as the times in the log. */
const timeOf = (text: string, nowMs: number): number =>
  text.endsWith('d') ? nowMs - Number.parseInt(text, 10) * dayMs : Date.parse(text);

const maxPage = 1000;

/** Newest first, at most `limit`; reads no page more than it needs. */
const readSince = async ({ store }: Connection, scope: AuditScope, sinceMs: number, limit: number) => {
  const rows: AuditRow[] = [];
  let after: AuditPosition | undefined;
  do {
    const page = await readAuditLog(store, scope, Math.min(maxPage, limit - rows.length), after);
    const young = page.rows.filter(({ at }) => Date.parse(at) >= sinceMs);
    rows.push(...young);
    after = young.length === page.rows.length ? page.next : undefined;
  } while (after && rows.length < limit);
  return rows;
};

const tellOfReads = ({ talk }: OperatorContext, { logsDirectory, requestLogGroup }: Connection, scope: AuditScope) => {
  if (logsDirectory !== undefined) return talk(`Reads are not listed; they are in the log lines in ${logsDirectory}.`);
  talk(
    `Reads are not listed; they are in the log. With CloudWatch Logs Insights, over the group ${requestLogGroup}:\n${requestsQuery(scope)}`,
  );
};

const rowOf = (each: AuditEntry) => ({
  at: each.at,
  'fact of': each.factAt,
  company: each.companyId,
  operation: each.operation,
  by: each.operator ?? each.actorKeyId,
  what: targetIdNames.flatMap((name) => each[name] ?? []).join(' '),
  before: textOf(each.before),
  after: textOf(each.after),
  reason: each.reason,
});

/** Shows the length of a list, such as switch points; the JSON output has all of it. */
const textOf = (changed: AuditEntry['before']) =>
  changed &&
  JSON.stringify(changed, (_, value) => (Array.isArray(value) && Object(value[0]) === value[0] ? value.length : value));

const shownFields = (
  ['companyId', 'keyId', 'userId', 'gatewayId', 'operation', 'path', 'decision', 'status', 'requestId'] as const
).map((name) => requestFields[name]);

const conditionOf = ({ by, id }: AuditScope): string => {
  if (by === 'gateway')
    return `${requestFields.path} like /^\\/hvacs\\/${id.replaceAll('.', '[.]')}(\\/|$)/ or ${requestFields.gatewayId} = "${id}"`;
  return `${by === 'company' ? requestFields.companyId : requestFields.userId} = "${id}"`;
};

/** A query for CloudWatch Logs Insights, over the log group of the stack's functions: every request of a scope, reads with the changes. */
const requestsQuery = (scope: AuditScope): string =>
  `fields @timestamp, ${shownFields.join(', ')}
| filter ${conditionOf(scope)}
| sort @timestamp desc
| limit 1000`;
