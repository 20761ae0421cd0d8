import {
  DescribeContinuousBackupsCommand,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
  TableNotFoundException,
} from '@aws-sdk/client-dynamodb';
import type { TableName } from '../../lambdas/api/tables.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { OperatorError } from '../errors/operator-error.ts';

/** Says why a table cannot be restored to that second; undefined if it can. */
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
      return `${table} has no point-in-time recovery, which somebody switched off: switch it on with aws dynamodb update-continuous-backups --table-name ${store.tableName(table)} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true, since a deployment changes nothing back; then it reaches back to that moment alone`;
    return { earliestMs: earliest.getTime(), latestMs: latest.getTime() };
  } catch (error) {
    if (error instanceof TableNotFoundException)
      return `${table} is deleted (${store.tableName(table)}): first bring it back under its own name, as docs/restore.md says`;
    throw isUnknown(error) ? noHistory() : error;
  }
};

/** Starts to restore a table beside itself; resolves, too, where somebody else has started the same. */
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

/** DynamoDB Local knows neither of the two operations. */
const isUnknown = (error: unknown) => (error as Error).name === 'UnknownOperationException';

const noHistory = () =>
  new OperatorError('refused', 'The store of a local run keeps no history: it can be restored to no earlier second.');
