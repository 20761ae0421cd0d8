import * as z from 'zod';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { defineCommand } from '../cli/command.ts';
import { findRestoredTables, restoredTable, restorePoint } from '../restore/restored-tables.ts';

export const restoreStatus = defineCommand({
  noun: 'restore',
  verb: 'status',
  summary: 'Tell how far the restored tables of a second are',
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
