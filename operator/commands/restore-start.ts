import * as z from 'zod';
import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { defineCommand } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import type { Connection } from '../connection/connection.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { startRestore, whyNotRestorable } from '../restore/recovery.ts';
import {
  findRestoredTables,
  type RestoredTable,
  restoredTable,
  restorePoint,
  retainedTables,
} from '../restore/restored-tables.ts';

export const restoreStart = defineCommand({
  noun: 'restore',
  verb: 'start',
  summary:
    'Restore all tables with history to one second, each beside itself under a new name; the stage goes on as it is',
  arguments: {},
  options: { to: restorePoint },
  changes: true,
  requirements: {
    tableActions: {
      ApiKeys: ['DescribeContinuousBackups', 'RestoreTableToPointInTime'],
      Appliances: ['DescribeContinuousBackups', 'RestoreTableToPointInTime'],
      AuditLog: ['DescribeContinuousBackups', 'PutItem', 'RestoreTableToPointInTime'],
      Contracts: ['DescribeContinuousBackups', 'RestoreTableToPointInTime'],
      Webhooks: ['DescribeContinuousBackups', 'RestoreTableToPointInTime'],
      // A restore reads and writes its target in the name of who starts it.
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
    outcome: z.literal(['changed', 'unchanged', 'would-change']),
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
      context.talk(`All are there already. See how far they are: ${next}.`);
      return { ...answer, outcome: 'unchanged' as const };
    }
    if (context.isDryRun) {
      context.talk('A dry run: nothing was started.');
      return { ...answer, outcome: 'would-change' as const };
    }
    await start(context, connection, to, absent);
    context.talk(`Started. It takes minutes to hours, and the stage works as before. See how far it is: ${next}.`);
    return { ...answer, outcome: 'changed' as const, tables: await findRestoredTables(connection, to) };
  },
  view: ({ to, outcome, tables }) => [{ title: `${to}: ${outcome}`, rows: tables }],
});

/** All or none: a second that one table cannot go back to is refused for all of them. */
const refuseUnlessAllRestorable = async ({ nowMs }: OperatorContext, { store }: Connection, to: number) => {
  if (to > nowMs) throw new OperatorError('usage', `${toTimestamp(to)} is in the future. Nothing was started.`);
  const reasons = await Promise.all(retainedTables.map((table) => whyNotRestorable(store, table, to)));
  const faults = reasons.filter((reason) => reason !== undefined);
  if (faults.length > 0) throw new OperatorError('refused', `Nothing was started. ${faults.join('. ')}.`);
};

/** On record before it is done, since no transaction can hold it. Broken off, the next run starts what is absent. */
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
