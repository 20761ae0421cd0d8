import * as z from 'zod';
import { keyLifetimeMonths } from '../../lambdas/api/limits.ts';
import { requestFields } from '../../lambdas/api/log-events/request-event.ts';
import { type AuditPosition, type AuditRow, type AuditScope, readAuditLog } from '../../lambdas/data/audit.ts';
import { listCompanies } from '../../lambdas/data/contracts/companies.ts';
import { addMonths } from '../../lambdas/domain/time.ts';
import { withoutBookkeeping } from '../cli/bookkeeping.ts';
import { companyId, defineCommand, flag, idOf, limitOption } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { sinceMsOf, sinceSchema, sinceSummary } from '../cli/times.ts';
import type { Connection } from '../connection/connection.ts';
import { OperatorError } from '../error.ts';
import { type AuditEntry, auditEntry, presentAuditRow, stageSubjects, targetIdNames } from '../owners/audit-entry.ts';

export const auditList = defineCommand({
  noun: 'audit',
  verb: 'list',
  summary:
    'List the audit log of a company, a user, a gateway or a key, or of all companies since a time; or the restores of tables, or the operations on messages in the queues; newest entries first',
  arguments: {},
  options: {
    company: { summary: 'changes of this company', placeholder: 'id', schema: companyId.schema.optional() },
    user: { summary: 'changes on behalf of this user', placeholder: 'id', schema: idOf('user').optional() },
    gateway: { summary: 'changes to this gateway', placeholder: 'id', schema: idOf('gateway').optional() },
    key: { summary: 'changes made with this key, or to it', placeholder: 'id', schema: idOf('key').optional() },
    restores: flag('restores of whole tables'),
    queues: flag('messages that operators sent, redrove or deleted, unless they concern a single company'),
    since: { summary: sinceSummary, placeholder: 'time', schema: sinceSchema.optional() },
    limit: limitOption(10_000),
  },
  changes: false,
  requirements: {
    tableActions: {
      AuditLog: ['Query'],
      'AuditLog/index/byUser': ['Query'],
      'AuditLog/index/byGateway': ['Query'],
      Companies: ['Scan'],
    },
  },
  output: z.strictObject({
    entries: z.array(auditEntry),
    /** Whether there are older entries than the limit allows. */
    hasMore: z.boolean(),
  }),
  run: async (context, { company, user, gateway, key, restores, queues, since, limit }) => {
    const companyScope = { company, user, gateway };
    requireScope([...Object.values(companyScope), restores || undefined, queues || undefined], key ?? since);
    const connection = await context.connect();
    const stageSubject = restores
      ? connection.stackName
      : queues
        ? stageSubjects(connection.stackName).queues
        : undefined;
    const scope = stageSubject === undefined ? scopeOf(companyScope) : ({ by: 'company', id: stageSubject } as const);
    const wanted = {
      sinceMs: since === undefined ? (scope ? 0 : firstActMs(context.nowMs)) : sinceMsOf(since, context.nowMs),
      limit: limit + 1,
      isMeant: (row: AuditRow) => key === undefined || row.actorKeyId === key || row.keyId === key,
    };
    const found = scope ? await readSince(connection, scope, wanted) : await readOfAllCompanies(connection, wanted);
    const hasMore = found.length > limit;
    if (hasMore) context.talk(`There are older ones: raise --limit (${limit}), or shorten --since.`);
    const ofRequests = key === undefined ? scope : ({ by: 'key', id: key } as const);
    if (stageSubject === undefined && ofRequests) explainMissingReads(context, connection, ofRequests);
    return { entries: found.slice(0, limit).map(presentAuditRow), hasMore };
  },
  view: ({ entries }) => [{ rows: entries.map(rowOf), ifEmpty: 'no changes' }],
});

const requireScope = (choices: readonly unknown[], another: string | undefined) => {
  const chosen = choices.filter((choice) => choice !== undefined).length;
  if (chosen > 1 || (chosen === 0 && another === undefined))
    throw new OperatorError(
      'usage',
      'Whose changes? Add one of --company, --user, --gateway and --key, --restores for restores of whole tables, --queues for operations on messages, or only --since for all companies.',
    );
};

const scopeOf = (ids: Readonly<Record<AuditScope['by'], string | undefined>>): AuditScope | undefined => {
  const [scope] = Object.entries(ids).flatMap(([by, id]) => (id === undefined ? [] : [{ by, id }]));
  return scope as AuditScope | undefined;
};

/** Returns the earliest time at which a key that is valid now can have been created, and so used. */
const firstActMs = (nowMs: number): number => addMonths(nowMs, -keyLifetimeMonths);

type Wanted = {
  readonly sinceMs: number;
  readonly limit: number;
  readonly isMeant: (row: AuditRow) => boolean;
};

const maxPage = 1000;

/** Reads at most `limit` rows, the newest first, and no more pages than necessary. */
const readSince = async ({ store }: Connection, scope: AuditScope, { sinceMs, limit, isMeant }: Wanted) => {
  const rows: AuditRow[] = [];
  let after: AuditPosition | undefined;
  do {
    const page = await readAuditLog(store, scope, Math.min(maxPage, limit - rows.length), after);
    const young = page.rows.filter(({ at }) => Date.parse(at) >= sinceMs);
    rows.push(...young.filter(isMeant));
    after = young.length === page.rows.length ? page.next : undefined;
  } while (after && rows.length < limit);
  return rows;
};

/** The number of companies that are read in parallel. */
const atOnce = 20;

/** Like `readSince`, for all companies together. */
const readOfAllCompanies = async (connection: Connection, wanted: Wanted) => {
  const companies = await listCompanies(connection.store);
  let rows: AuditRow[] = [];
  for (let start = 0; start < companies.length; start += atOnce) {
    const read = await Promise.all(
      companies
        .slice(start, start + atOnce)
        .map(({ companyId: id }) => readSince(connection, { by: 'company', id }, wanted)),
    );
    rows = [...rows, ...read.flat()]
      .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
      .slice(0, wanted.limit);
  }
  return rows;
};

/** The company, user, gateway or key whose requests a query returns. */
type RequestScope = { readonly by: AuditScope['by'] | 'key'; readonly id: string };

const explainMissingReads = (
  { talk }: OperatorContext,
  { logsDirectory, requestLogGroup }: Connection,
  scope: RequestScope,
) => {
  if (logsDirectory !== undefined) return talk(`Reads are not listed; they are in the log lines in ${logsDirectory}.`);
  talk(
    `Reads are not listed; they are in the log. With CloudWatch Logs Insights, over the group ${requestLogGroup}:\n${requestsQuery(scope)}`,
  );
};

const rowOf = (each: AuditEntry) => ({
  at: each.at,
  'fact of': each.factAt,
  company: each.companyId,
  user: each.userId,
  operation: each.operation,
  by: each.operator ?? each.actorKeyId,
  what: targetIdNames.flatMap((name) => each[name] ?? []).join(' '),
  before: textOf(each.before),
  after: textOf(each.after),
  reason: each.reason,
});

/**
 * Returns the properties sorted by name, since the store does not keep their order. Leaves out bookkeeping, and shows only the
 * length of a list, such as switch points. The JSON output has everything.
 */
const textOf = (changed: AuditEntry['before']) =>
  changed &&
  JSON.stringify(
    Object.fromEntries(withoutBookkeeping(Object.entries(changed).sort(), ([name]) => name)),
    (_, value) => (Array.isArray(value) && Object(value[0]) === value[0] ? value.length : value),
  );

const shownFields = (
  ['companyId', 'keyId', 'userId', 'gatewayId', 'operation', 'path', 'decision', 'status', 'requestId'] as const
).map((name) => requestFields[name]);

const conditionOf = ({ by, id }: RequestScope): string => {
  if (by === 'gateway')
    return `${requestFields.path} like /^\\/hvacs\\/${id.replaceAll('.', '[.]')}(\\/|$)/ or ${requestFields.gatewayId} = "${id}"`;
  return `${scopeFields[by]} = "${id}"`;
};

const scopeFields = { company: requestFields.companyId, user: requestFields.userId, key: requestFields.keyId } as const;

/** Returns a CloudWatch Logs Insights query, over the stack's request log, for all requests of a scope, including reads. */
const requestsQuery = (scope: RequestScope): string =>
  `fields @timestamp, ${shownFields.join(', ')}
| filter ${conditionOf(scope)}
| sort @timestamp desc
| limit 1000`;
