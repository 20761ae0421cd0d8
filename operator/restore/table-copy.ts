import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../../lambdas/api/tables.ts';
import { batchGet } from '../../lambdas/data/store/batch-get.ts';
import { copyAppliances } from './appliance-copy.ts';
import { copyAuditRows } from './audit-copy.ts';
import { recordsOf } from './audit-record.ts';
import { decideOnContract } from './contract-copy.ts';
import { decideOnKey } from './key-copy.ts';
import { type CopyRows, type CopyTools, type Item, keyOf, keyTextOf, rowByRow } from './row-copy.ts';
import { decideOnWebhook } from './webhook-copy.ts';

/** In this order: what happened is on record before keys open anything. A new table with history needs its rule here. */
const copyRowsByTable: Readonly<Partial<Record<TableName, CopyRows>>> = {
  AuditLog: copyAuditRows,
  Contracts: rowByRow('Contracts', decideOnContract),
  ApiKeys: rowByRow('ApiKeys', decideOnKey),
  Appliances: copyAppliances,
  Webhooks: rowByRow('Webhooks', decideOnWebhook),
};

export const copiedTables = Object.keys(copyRowsByTable) as TableName[];

export type TableCopy = {
  readonly table: string;
  readonly rows: number;
  readonly same: number;
  readonly copied: number;
  readonly left: readonly { readonly what: string; readonly why: string }[];
};

/** What a copy works with, and the restored tables, by the names of the stage's own. */
export type CopyRun = Omit<CopyTools, 'records'> & {
  readonly restored: Readonly<Record<string, string>>;
  readonly toMs: number;
  readonly isPlan: boolean;
};

/** So many rows are read and written at once; a transaction and a batch read take at most 100. */
const pageSize = 50;

/**
 * Goes through a restored table and copies into the stage's own what is missing or was changed off the record; as a plan,
 * it only counts. It deletes nothing, and a second run finds the rest.
 */
export const copyTable = async (run: CopyRun, table: TableName): Promise<TableCopy> => {
  const counts = { rows: 0, same: 0, copied: 0 };
  const left: { what: string; why: string }[] = [];
  let after: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await run.store.send(
      new ScanCommand({ TableName: run.restored[table], Limit: pageSize, ExclusiveStartKey: after }),
    );
    counts.rows += Items.length;
    for (const decision of await copyPage(run, table, Items)) {
      if (decision.kind === 'left') left.push({ what: decision.what, why: decision.why });
      else counts[decision.kind] += 1;
    }
    after = LastEvaluatedKey;
  } while (after);
  return { table, ...counts, left };
};

const copyPage = async (run: CopyRun, table: TableName, rows: readonly Item[]) => {
  if (rows.length === 0) return [];
  const { store, restored, toMs, isPlan } = run;
  const own = await readOwn(run, table, rows);
  // The restored AuditLog too, since the stage's own may have been lost.
  const records = recordsOf(store, [store.tableName('AuditLog'), restored.AuditLog ?? ''], toMs);
  const pairs = rows.map((row) => ({ restored: row, own: own.get(keyTextOf(table, row)) }));
  return (copyRowsByTable[table] as CopyRows)({ ...run, records }, pairs, isPlan);
};

const readOwn = async ({ store }: CopyRun, table: TableName, rows: readonly Item[]) => {
  const name = store.tableName(table);
  const items = await batchGet(store, { [name]: { Keys: rows.map((row) => keyOf(table, row)), ConsistentRead: true } });
  return new Map(items(name).map((item) => [keyTextOf(table, item), item]));
};
