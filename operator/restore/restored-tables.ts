import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
  TableNotFoundException,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { retainedTables, type TableName } from '../../lambdas/api/tables.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { secondSchema } from '../cli/times.ts';
import type { Connection } from '../connection/connection.ts';
import { OperatorError } from '../error.ts';

/** The option that identifies a restore. DynamoDB restores to whole seconds. */
export const restorePoint = {
  summary: 'the second to restore to, with its offset, like 2026-11-21T20:15:00Z; a fraction of it is cut',
  placeholder: 'time',
  schema: secondSchema,
};

/** Returns the name of a restored table. It contains the original table and the second, so that later commands find it. */
const restoredNameOf = (stackName: string, table: TableName, toMs: number): string =>
  `${stackName}-restored-${table}-${toTimestamp(toMs).replace(/[-:]/g, '')}`;

export const restoredTable = z.strictObject({
  table: z.string(),
  restoredTable: z.string(),
  /** The status in DynamoDB, or `absent`. */
  status: z.string(),
});

export type RestoredTable = z.output<typeof restoredTable> & { readonly table: TableName };

/** Reads the status of the restored tables of that second. */
export const findRestoredTables = ({ store, stackName }: Connection, toMs: number): Promise<RestoredTable[]> =>
  Promise.all(
    retainedTables.map(async (table) => {
      const name = restoredNameOf(stackName, table, toMs);
      return { table, restoredTable: name, status: await statusOf(store, name) };
    }),
  );

const statusOf = async (store: Connection['store'], TableName: string): Promise<string> => {
  try {
    const { Table: described } = await store.send(new DescribeTableCommand({ TableName }));
    return described?.TableStatus ?? 'absent';
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return 'absent';
    throw error;
  }
};

/** Returns the physical names of the restored tables. Throws if any of them is not ready. */
export const requireRestoredTables = async (
  connection: Connection,
  toMs: number,
): Promise<Readonly<Record<string, string>>> => {
  const found = await findRestoredTables(connection, toMs);
  const missing = found.filter(({ status }) => status !== 'ACTIVE');
  if (missing.length > 0)
    throw new OperatorError(
      'not-found',
      `Not all tables are restored to ${toTimestamp(toMs)}: ${missing.map(({ restoredTable: name, status }) => `${name} is ${status}`).join(', ')}. Start the restore with restore start --to ${toTimestamp(toMs)}, or wait for it with restore status.`,
    );
  return Object.fromEntries(found.map(({ table, restoredTable: name }) => [table, name]));
};

/** Returns why a table cannot be restored to that second; undefined if it can. */
export const whyNotRestorable = async (store: Store, table: TableName, toMs: number): Promise<string | undefined> => {
  const window = await readWindow(store, table);
  if (typeof window === 'string') return window;
  const { earliestMs, latestMs } = window;
  if (toMs < earliestMs)
    return `${table} can be restored to ${toTimestamp(Math.ceil(earliestMs / 1000) * 1000)} at the earliest`;
  if (toMs > latestMs)
    return `${table} can be restored to ${toTimestamp(Math.floor(latestMs / 1000) * 1000)} at the latest so far; wait, or choose an earlier second`;
  return undefined;
};

const readWindow = async (store: Store, table: TableName) => {
  try {
    const { ContinuousBackupsDescription: backups } = await store.send(
      new DescribeContinuousBackupsCommand({ TableName: store.tableName(table) }),
    );
    const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
      backups?.PointInTimeRecoveryDescription ?? {};
    if (!earliest || !latest)
      return `${table} has no point-in-time recovery, because somebody disabled it: enable it with aws dynamodb update-continuous-backups --table-name ${store.tableName(table)} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true, since a deployment does not enable it again; then it reaches back only to that moment`;
    return { earliestMs: earliest.getTime(), latestMs: latest.getTime() };
  } catch (error) {
    if (error instanceof TableNotFoundException)
      return `${table} is deleted (${store.tableName(table)}): first restore it under its own name, as docs/restore.md describes`;
    throw isUnknown(error) ? noHistory() : error;
  }
};

/** Starts to restore a table under a new name. Also resolves if another caller has started the same restore. */
export const startRestore = async (store: Store, table: TableName, toMs: number, name: string): Promise<void> => {
  try {
    await store.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: store.tableName(table),
        TargetTableName: name,
        RestoreDateTime: new Date(toMs),
      }),
    );
  } catch (error) {
    if (!(error instanceof TableAlreadyExistsException)) throw error;
  }
};

/** Whether the store does not support the operation: DynamoDB Local has neither backups nor restores. */
const isUnknown = (error: unknown) => (error as Error).name === 'UnknownOperationException';

const noHistory = () =>
  new OperatorError('refused', 'The store of a local run keeps no history: it can be restored to no earlier second.');
