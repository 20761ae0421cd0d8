import * as z from 'zod';
import { isInStore } from '../../config/schema.ts';
import { retainedTables } from '../../lambdas/api/tables.ts';
import { auditPut } from '../../lambdas/data/audit.ts';
import { listCompanies } from '../../lambdas/data/contracts/companies.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { defineCommand, flag } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { type ChangeOutput, changeOutcome, changeOutput, changeView, makeChange } from '../cli/make-change.ts';
import { formatView, type View } from '../cli/output.ts';
import type { Connection } from '../connection/connection.ts';
import { OperatorError } from '../error.ts';
import { comparedTables } from '../restore/differing-rows.ts';
import { applyRevocations, compareWithRecord, differencesIn, type Reconciliation } from '../restore/reconciliation.ts';
import {
  findRestoredTables,
  type RestoredTable,
  requireRestoredTables,
  restoredTable,
  restorePoint,
  startRestore,
  whyNotRestorable,
} from '../restore/restored-tables.ts';
import { type CopyRun, copiedTables, copyDiffering, copyMissing, type TableCopy } from '../restore/table-copy.ts';

export const restoreStart = defineCommand({
  noun: 'restore',
  verb: 'start',
  summary:
    'Restore all tables with history to one second, each under a new name; the stage and its tables stay unchanged',
  arguments: {},
  options: { to: restorePoint },
  changes: true,
  shownToCompany: false,
  requirements: {
    tableActions: {
      ApiKeys: ['DescribeContinuousBackups', 'RestoreTableToPointInTime'],
      Appliances: ['DescribeContinuousBackups', 'RestoreTableToPointInTime'],
      AuditLog: ['DescribeContinuousBackups', 'PutItem', 'RestoreTableToPointInTime'],
      Companies: ['DescribeContinuousBackups', 'RestoreTableToPointInTime'],
      Contracts: ['DescribeContinuousBackups', 'RestoreTableToPointInTime'],
      Webhooks: ['DescribeContinuousBackups', 'RestoreTableToPointInTime'],
      // A restore reads and writes its target with the permissions of the caller.
      RestoredTables: [
        'BatchWriteItem',
        'DeleteItem',
        'DescribeTable',
        'GetItem',
        'PutItem',
        'Query',
        'RestoreTableToPointInTime',
        'Scan',
        'UpdateItem',
      ],
    },
  },
  output: z.strictObject({
    to: z.iso.datetime(),
    outcome: changeOutcome,
    tables: z.array(restoredTable),
  }),
  run: async (context, { to }) => {
    const connection = await context.connect();
    await refuseUnlessAllRestorable(context, connection, to);
    const found = await findRestoredTables(connection, to);
    const absent = found.filter(({ status }) => status === 'absent');
    const answer = { to: toTimestamp(to), tables: found };
    const next = `restore status --to ${toTimestamp(to)}`;
    if (absent.length === 0) {
      context.talk(`All restored tables exist already. To see their status: ${next}.`);
      return { ...answer, outcome: 'unchanged' as const };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was started.');
      return { ...answer, outcome: 'would-change' as const };
    }
    await start(context, connection, to, absent);
    context.talk(`Started. It takes minutes to hours, and the stage works as before. To see the status: ${next}.`);
    return { ...answer, outcome: 'changed' as const, tables: await findRestoredTables(connection, to) };
  },
  view: ({ to, outcome, tables }) => [{ title: `${to}: ${outcome}`, rows: tables }],
});

/** Throws if any table cannot be restored to that second: either all tables are restored or none. */
const refuseUnlessAllRestorable = async ({ nowMs }: OperatorContext, { store }: Connection, to: number) => {
  if (to > nowMs) throw new OperatorError('usage', `${toTimestamp(to)} is in the future. Nothing was started.`);
  const reasons = await Promise.all(retainedTables.map((table) => whyNotRestorable(store, table, to)));
  const faults = reasons.filter((reason) => reason !== undefined);
  if (faults.length > 0) throw new OperatorError('refused', `Nothing was started. ${faults.join('. ')}.`);
};

/** Writes the audit row first, since no transaction can include a restore. After an interruption, the next run continues. */
const start = async (
  context: OperatorContext,
  { store, stackName }: Connection,
  to: number,
  absent: readonly RestoredTable[],
) => {
  const after = { to: toTimestamp(to), tables: absent.map(({ restoredTable: name }) => name) };
  await transact(store, { audit: auditPut(store, await context.auditContext(stackName), { after }) });
  for (const { table, restoredTable: name } of absent) await startRestore(store, table, to, name);
};

export const restoreStatus = defineCommand({
  noun: 'restore',
  verb: 'status',
  summary: 'Show whether the restored tables of a second are ready',
  arguments: {},
  options: { to: restorePoint },
  changes: false,
  requirements: { tableActions: { RestoredTables: ['DescribeTable'] } },
  output: z.strictObject({ to: z.iso.datetime(), isReady: z.boolean(), tables: z.array(restoredTable) }),
  run: async (context, { to }) => {
    const tables = await findRestoredTables(await context.connect(), to);
    const isReady = tables.every(({ status }) => status === 'ACTIVE');
    const at = toTimestamp(to);
    context.talk(isReady ? `Next: restore copy --to ${at} --dry-run` : `Not all are ACTIVE yet: run again later.`);
    return { to: at, isReady, tables };
  },
  view: ({ to, isReady, tables }) => [{ title: `${to}: ${isReady ? 'ready' : 'not ready'}`, rows: tables }],
  exits: { drift: 'not all tables are ready' },
  exitCode: ({ isReady }) => (isReady ? 'ok' : 'drift'),
});

const copyOutput = z.strictObject({
  to: z.iso.datetime(),
  outcome: changeOutcome,
  tables: z.array(
    z.strictObject({
      table: z.string(),
      rows: z.int(),
      same: z.int(),
      differing: z.int(),
      copied: z.int(),
      setBack: z.array(z.strictObject({ what: z.string(), attributes: z.array(z.string()) })),
      left: z.array(z.strictObject({ what: z.string(), why: z.string() })),
    }),
  ),
});

export const restoreCopy = defineCommand({
  noun: 'restore',
  verb: 'copy',
  summary:
    'Copy rows that the stage lost from the restored tables; deletes and changes no rows, and what was deleted or revoked since according to AuditLog stays so. With --differing: set back the existing rows of one table that differ although AuditLog has no change of them',
  arguments: {},
  options: {
    to: restorePoint,
    differing: {
      summary: 'set back the differing rows of this table, and copy no missing ones',
      placeholder: 'table',
      schema: z.enum(comparedTables, `is none of ${comparedTables.join(', ')}.`).optional(),
    },
  },
  changes: true,
  shownToCompany: false,
  requirements: {
    tableActions: {
      ApiKeys: ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'Query'],
      Appliances: ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'PutItem'],
      AuditLog: ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'Query'],
      Companies: ['BatchGetItem', 'PutItem'],
      Contracts: ['BatchGetItem', 'ConditionCheckItem', 'PutItem'],
      Webhooks: ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'Query', 'UpdateItem'],
      RestoredTables: ['DescribeTable', 'Query', 'Scan'],
    },
  },
  confirmedBy: ({ to }) => toTimestamp(to),
  output: copyOutput,
  run: async (context, { to, differing }) => {
    const connection = await context.connect();
    const restored = await requireRestoredTables(connection, to);
    const { nowMs, auditContext } = context;
    const { store, stackName } = connection;
    const plan = { store, stackName, nowMs, auditContext, restored, toMs: to, isPlan: true };
    const copy = async (run: CopyRun) => (differing ? [await copyDiffering(run, differing)] : copyAllMissing(run));
    const planned = { to: toTimestamp(to), tables: await copy(plan) };
    if (copiedIn(planned.tables) === 0) {
      context.talk(`Nothing to copy. Next: restore reconcile --to ${planned.to} --check`);
      return { ...planned, outcome: 'unchanged' as const };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was copied.');
      return { ...planned, outcome: 'would-change' as const };
    }
    await context.confirm(formatView(copyView({ ...planned, outcome: 'would-change' })));
    const tables = await copy({ ...plan, isPlan: false });
    context.talk(`Next: restore reconcile --to ${planned.to} --check`);
    return { to: planned.to, tables, outcome: 'changed' as const };
  },
  view: (copied) => copyView(copied),
});

/** Copies one table after the other. */
const copyAllMissing = async (run: CopyRun): Promise<TableCopy[]> => {
  const copies: TableCopy[] = [];
  for (const table of copiedTables) copies.push(await copyMissing(run, table));
  return copies;
};

const copiedIn = (copies: readonly Pick<TableCopy, 'copied' | 'setBack'>[]) =>
  copies.reduce((sum, { copied, setBack }) => sum + copied + setBack.length, 0);

const copyView = ({ to, outcome, tables }: z.output<typeof copyOutput>): View => [
  {
    title: `${to}: ${outcome}`,
    rows: tables.map(({ left, setBack, ...counts }) => ({ ...counts, setBack: setBack.length, left: left.length })),
  },
  {
    title: 'Set back',
    rows: tables.flatMap(({ setBack }) =>
      setBack.map(({ what, attributes }) => ({ what, attributes: attributes.join(', ') })),
    ),
    ifEmpty: 'nothing',
  },
  { title: 'Not copied', rows: tables.flatMap(({ left }) => left), ifEmpty: 'nothing' },
];

const given = z.strictObject({ companyId: z.string(), what: z.string(), command: z.string() });

export const restoreReconcile = defineCommand({
  noun: 'restore',
  verb: 'reconcile',
  summary:
    'Apply all revocations since that second again according to AuditLog: deleted keys, revoked gateways and consent, removed addresses, suspended companies and ended contracts; list what was granted',
  arguments: {},
  options: { to: restorePoint, check: flag('only show what differs from AuditLog; needs no --reason') },
  changes: true,
  shownToCompany: true,
  requirements: {
    tableActions: {
      ApiKeys: ['ConditionCheckItem', 'DeleteItem', 'Query'],
      AuditLog: ['PutItem', 'Query'],
      Appliances: ['BatchGetItem', 'PutItem'],
      Companies: ['BatchGetItem', 'Scan', 'UpdateItem'],
      Contracts: ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'UpdateItem'],
      'Contracts/index/byCompany': ['Query'],
    },
  },
  changesNothing: ({ check }) => check,
  output: z.strictObject({
    to: z.iso.datetime(),
    isCheck: z.boolean(),
    /** Whether AuditLog has any row after that second. Without one, the changes since then are unknown. */
    hasLaterRecord: z.boolean(),
    changes: z.array(changeOutput),
    given: z.array(given),
  }),
  run: async (context, { to, check }) => {
    const found = await compareAll(context, to);
    const hasLaterRecord = found.some(({ isLater }) => isLater);
    if (!hasLaterRecord)
      context.talk(
        `AuditLog has no row after ${toTimestamp(to)}. Either nothing was changed since, or that part of AuditLog is lost: then it is unknown which keys were deleted since, and each company should replace its keys.`,
        'warning',
      );
    const differing = found.filter((reconciliation) => differencesIn(reconciliation).length > 0);
    const changes: ChangeOutput[] = [];
    for (const reconciliation of differing)
      changes.push(check ? shownOnly(reconciliation) : await reconcile(context, reconciliation));
    return {
      to: toTimestamp(to),
      isCheck: check,
      hasLaterRecord,
      changes,
      given: found.flatMap(({ company: { companyId }, given: each }) => each.map((one) => ({ companyId, ...one }))),
    };
  },
  view: ({ isCheck, hasLaterRecord, changes, given: listed }) => [
    ...(changes.length > 0 ? changes.flatMap(changeView) : [{ text: asRecorded(isCheck, hasLaterRecord) }]),
    { title: 'Granted since, but missing: run the command if it still applies', rows: listed, ifEmpty: 'nothing' },
  ],
  exits: { drift: 'with --check, an item exists that was revoked according to AuditLog' },
  exitCode: ({ isCheck, changes }) => (isCheck && changes.length > 0 ? 'drift' : 'ok'),
});

const asRecorded = (isCheck: boolean, hasLaterRecord: boolean): string =>
  `${isCheck ? 'Nothing would be' : 'Nothing was'} revoked: ${hasLaterRecord ? 'all is as recorded' : 'there is no record since'}.`;

/** Compares one company after the other. */
const compareAll = async (context: OperatorContext, to: number): Promise<Reconciliation[]> => {
  const { store } = await context.connect();
  const found: Reconciliation[] = [];
  for (const company of await listCompanies(store))
    found.push(await compareWithRecord(store, company, to, isInStore(context.config)));
  return found;
};

const shownOnly = (reconciliation: Reconciliation): ChangeOutput => ({
  companyId: reconciliation.company.companyId,
  outcome: 'would-change',
  differences: differencesIn(reconciliation),
});

const reconcile = async (context: OperatorContext, reconciliation: Reconciliation): Promise<ChangeOutput> => {
  const { companyId } = reconciliation.company;
  const { store } = await context.connect();
  const apply = async () => applyRevocations(store, await context.auditContext(companyId), reconciliation);
  return makeChange(context, { companyId, differences: differencesIn(reconciliation), apply });
};
