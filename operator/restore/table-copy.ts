import { isDeepStrictEqual } from 'node:util';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../../lambdas/api/tables.ts';
import { batchGet } from '../../lambdas/data/store/reads.ts';
import { decideOnAppliance, isInventory } from './appliance-rules.ts';
import { recordsOf } from './audit-record.ts';
import { decideOnCompany, decideOnContract } from './contract-rules.ts';
import { decideOnKey } from './key-rules.ts';
import {
  type CopyTools,
  type DecideOnRow,
  type Item,
  keyOf,
  keyTextOf,
  notCopied,
  putBack,
  putMissing,
  type RowDecision,
  type RowPair,
  same,
} from './row-copy.ts';
import { decideOnWebhook } from './webhook-rules.ts';

/** The rules of the tables with history, except AuditLog, to which rows are only added. A new table needs a rule here. */
const rules = {
  Companies: decideOnCompany,
  Contracts: decideOnContract,
  ApiKeys: decideOnKey,
  Appliances: decideOnAppliance,
  Webhooks: decideOnWebhook,
} satisfies Partial<Record<TableName, DecideOnRow>>;

export type CopiedTable = 'AuditLog' | keyof typeof rules;

/** The order of the copies: the audit log is complete before keys give access again. */
export const copiedTables = ['AuditLog', ...Object.keys(rules)] as readonly CopiedTable[];

export type TableCopy = {
  readonly table: string;
  readonly rows: number;
  readonly same: number;
  readonly copied: number;
  readonly left: readonly { readonly what: string; readonly why: string }[];
};

/** What a copy works with. `restored` maps the names of the stage's tables to the physical names of the restored ones. */
export type CopyRun = Omit<CopyTools, 'records'> & {
  readonly restored: Readonly<Record<string, string>>;
  readonly toMs: number;
  readonly isPlan: boolean;
};

/** Rows per read and write. A transaction and a batch read take at most 100. */
const pageSize = 50;

/**
 * Copies the rows of a restored table that are missing from the stage's table, or were changed there without an audit row. As
 * a plan, it only counts them. Deletes nothing. A second run copies what an interrupted one has left.
 */
export const copyTable = async (run: CopyRun, table: CopiedTable): Promise<TableCopy> => {
  const counts = { rows: 0, same: 0, copied: 0 };
  const leftRows: { what: string; why: string }[] = [];
  let after: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await run.store.send(
      new ScanCommand({ TableName: run.restored[table], Limit: pageSize, ExclusiveStartKey: after }),
    );
    counts.rows += Items.length;
    for (const decision of await copyPage(run, table, Items)) {
      if (decision.kind === 'left') leftRows.push({ what: decision.what, why: decision.why });
      else counts[decision.kind] += 1;
    }
    after = LastEvaluatedKey;
  } while (after);
  return { table, ...counts, left: leftRows };
};

const copyPage = async (run: CopyRun, table: CopiedTable, rows: readonly Item[]) => {
  if (rows.length === 0) return [];
  const { store, restored, toMs, isPlan } = run;
  const own = await readOwn(run, table, rows);
  // Includes the restored AuditLog, since the stage's own may have been lost.
  const records = recordsOf(store, [store.tableName('AuditLog'), restored.AuditLog ?? ''], toMs);
  const pairs = rows.map((row) => ({ restored: row, own: own.get(keyTextOf(table, row)) }));
  return copyRows({ ...run, records }, table, pairs, isPlan);
};

const readOwn = async ({ store }: CopyRun, table: TableName, rows: readonly Item[]) => {
  const name = store.tableName(table);
  const items = await batchGet(store, { [name]: { Keys: rows.map((row) => keyOf(table, row)), ConsistentRead: true } });
  return new Map(items(name).map((item) => [keyTextOf(table, item), item]));
};

/** Copies the rows of a page by the rule of their table. Resolves to the outcome of each row. A plan changes nothing. */
export const copyRows = async (
  tools: CopyTools,
  table: CopiedTable,
  pairs: readonly RowPair[],
  isPlan: boolean,
): Promise<RowDecision[]> => {
  if (table === 'AuditLog') return copyAuditRows(tools, pairs, isPlan);
  const copyEach = (some: readonly RowPair[]) => Promise.all(some.map((pair) => copyRow(tools, table, pair, isPlan)));
  const isFirst = ({ restored }: RowPair) => table === 'Appliances' && isInventory(restored);
  return [...(await copyEach(pairs.filter(isFirst))), ...(await copyEach(pairs.filter((pair) => !isFirst(pair))))];
};

const copyRow = async (
  tools: CopyTools,
  table: keyof typeof rules,
  pair: RowPair,
  isPlan: boolean,
): Promise<RowDecision> => {
  const decision = await rules[table](tools, pair);
  if (typeof decision !== 'function') return decision;
  return isPlan || (await decision()) ? copied : changedConcurrently(`${table} ${keyTextOf(table, pair.restored)}`);
};

const copied: RowDecision = { kind: 'copied' };

const changedConcurrently = (what: string) => notCopied(what, 'changed at the same time; run again');

/**
 * Copies the missing rows of a page of AuditLog in one transaction, with a single audit row that has their number. Never
 * changes an existing row, even if the restored one differs.
 */
const copyAuditRows = async (tools: CopyTools, pairs: readonly RowPair[], isPlan: boolean): Promise<RowDecision[]> => {
  const missing = pairs.flatMap(({ restored, own }) => (own ? [] : [restored]));
  const putAll = putBack(tools, {
    subject: tools.stackName,
    onRecord: { after: { copiedAuditRows: missing.length } },
    items: Object.fromEntries(missing.map((row, index) => [`row ${index}`, putMissing(tools.store, 'AuditLog', row)])),
  });
  const isCopied = isPlan || missing.length === 0 || (await putAll());
  return pairs.map(({ restored, own }) => {
    const what = `audit row ${String(restored.sk)} of ${String(restored.subject)}`;
    if (!own) return isCopied ? copied : changedConcurrently(what);
    return isDeepStrictEqual(restored, own) ? same : notCopied(what, 'differs, and is kept');
  });
};
