import * as z from 'zod';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { defineCommand } from '../cli/command.ts';
import { formatView, type View } from '../cli/view.ts';
import { requireRestoredTables, restorePoint } from '../restore/restored-tables.ts';
import { type CopyRun, copiedTables, copyTable, type TableCopy } from '../restore/table-copy.ts';

const output = z.strictObject({
  to: z.iso.datetime(),
  outcome: z.literal(['changed', 'unchanged', 'would-change']),
  tables: z.array(
    z.strictObject({
      table: z.string(),
      rows: z.int(),
      same: z.int(),
      copied: z.int(),
      left: z.array(z.strictObject({ what: z.string(), why: z.string() })),
    }),
  ),
});

export const restoreCopy = defineCommand({
  noun: 'restore',
  verb: 'copy',
  summary:
    'Copy from the restored tables what the stage lost, or what was changed off the record; deletes nothing, and brings nothing back that AuditLog says was taken away',
  arguments: {},
  options: { to: restorePoint },
  changes: true,
  requirements: {
    tableActions: {
      ApiKeys: ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'Query'],
      Appliances: ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'PutItem'],
      AuditLog: ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'Query'],
      Contracts: ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'UpdateItem'],
      Webhooks: ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'Query', 'UpdateItem'],
      RestoredTables: ['DescribeTable', 'Query', 'Scan'],
    },
  },
  confirmedBy: ({ to }) => toTimestamp(to),
  output,
  run: async (context, { to }) => {
    const connection = await context.connect();
    const restored = await requireRestoredTables(connection, to);
    const { nowMs, auditContext } = context;
    const { store, stackName } = connection;
    const plan = { store, stackName, nowMs, auditContext, restored, toMs: to, isPlan: true };
    const planned = { to: toTimestamp(to), tables: await copyAll(plan) };
    if (copiedIn(planned.tables) === 0) {
      context.talk(`Nothing to copy. Next: restore reconcile --to ${planned.to} --check`);
      return { ...planned, outcome: 'unchanged' as const };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was copied.');
      return { ...planned, outcome: 'would-change' as const };
    }
    await context.confirm(formatView(viewOf({ ...planned, outcome: 'would-change' })));
    const tables = await copyAll({ ...plan, isPlan: false });
    context.talk(`Next: restore reconcile --to ${planned.to} --check`);
    return { to: planned.to, tables, outcome: 'changed' as const };
  },
  view: (copied) => viewOf(copied),
});

/** One table after the other. */
const copyAll = async (run: CopyRun) => {
  const copies: TableCopy[] = [];
  for (const table of copiedTables) copies.push(await copyTable(run, table));
  return copies.map((copy) => ({ ...copy, left: [...copy.left] }));
};

const copiedIn = (copies: readonly TableCopy[]) => copies.reduce((sum, { copied }) => sum + copied, 0);

const viewOf = ({ to, outcome, tables }: z.output<typeof output>): View => [
  {
    title: `${to}: ${outcome}`,
    rows: tables.map(({ left, ...counts }) => ({ ...counts, left: left.length })),
  },
  { title: 'Left as it is', rows: tables.flatMap(({ left }) => left), ifEmpty: 'nothing' },
];
