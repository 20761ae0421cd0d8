import { isDeepStrictEqual } from 'node:util';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../../lambdas/api/tables.ts';
import { batchGet } from '../../lambdas/data/store/reads.ts';
import { recordsOf } from './audit-record.ts';
import { type ComparedTable, differingIn, isCompared, setBackDiffering } from './differing-rows.ts';
import { decideOnMissingAppliance, isInventory } from './missing-appliances.ts';
import { decideOnMissingCompany, decideOnMissingContract } from './missing-contracts.ts';
import { decideOnMissingKey } from './missing-keys.ts';
import { decideOnMissingWebhook } from './missing-webhooks.ts';
import {
  type CopyTools,
  changedConcurrently,
  type DecideOnMissing,
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

/** The rules of the tables with history, except AuditLog, whose rows need none. A new table needs a rule here. */
const rules = {
  Companies: decideOnMissingCompany,
  Contracts: decideOnMissingContract,
  ApiKeys: decideOnMissingKey,
  Appliances: decideOnMissingAppliance,
  Webhooks: decideOnMissingWebhook,
} satisfies Partial<Record<TableName, DecideOnMissing>>;

type CopiedTable = 'AuditLog' | keyof typeof rules;

/** The order of the copies: the audit log is complete before keys give access again. */
export const copiedTables = ['AuditLog', ...Object.keys(rules)] as readonly CopiedTable[];

export type TableCopy = {
  readonly table: string;
  readonly rows: number;
  readonly same: number;
  /** Existing rows that differ from the restored ones, in the tables whose rows can be set back. */
  readonly differing: number;
  readonly copied: number;
  readonly setBack: { readonly what: string; readonly attributes: string[] }[];
  readonly left: { readonly what: string; readonly why: string }[];
};

/** What a copy works with. `restored` maps the names of the stage's tables to the physical names of the restored ones. */
export type CopyRun = Omit<CopyTools, 'records'> & {
  readonly restored: Readonly<Record<string, string>>;
  readonly toMs: number;
  readonly isPlan: boolean;
};

/** Rows per read and write. A transaction and a batch read take at most 100. */
const pageSize = 50;

/** Decides on the rows of a page and, unless it is a plan, writes them. Resolves to the outcome of each row. */
type CopyPage = (tools: CopyTools, pairs: readonly RowPair[], isPlan: boolean) => Promise<RowDecision[]>;

/**
 * Copies the rows of a restored table that the stage's table lacks. As a plan, it only counts them. Deletes and changes nothing.
 * A second run copies what an interrupted one has left.
 */
export const copyMissing = (run: CopyRun, table: CopiedTable): Promise<TableCopy> =>
  copyTable(run, table, (tools, pairs, isPlan) => copyRows(tools, table, pairs, isPlan));

/** Sets back the rows of a table that differ from the restored ones and that no audit row explains. */
export const copyDiffering = (run: CopyRun, table: ComparedTable): Promise<TableCopy> =>
  copyTable(run, table, (tools, pairs, isPlan) => setBackDiffering(tools, table, pairs, isPlan));

const copyTable = async (run: CopyRun, table: CopiedTable, copyPage: CopyPage): Promise<TableCopy> => {
  const decisions: RowDecision[] = [];
  let after: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await run.store.send(
      new ScanCommand({ TableName: run.restored[table], Limit: pageSize, ExclusiveStartKey: after }),
    );
    const pairs = await pairUp(run, table, Items);
    // Includes the restored AuditLog, since the stage's own may have been lost.
    const records = recordsOf(run.store, [run.store.tableName('AuditLog'), run.restored.AuditLog], run.toMs);
    decisions.push(...(await copyPage({ ...run, records }, pairs, run.isPlan)));
    after = LastEvaluatedKey;
  } while (after);
  const count = (kind: RowDecision['kind']) => decisions.filter((each) => each.kind === kind).length;
  return {
    table,
    rows: decisions.length,
    same: count('same'),
    differing: count('differs'),
    copied: count('copied'),
    setBack: decisions.flatMap((each) =>
      each.kind === 'set back' ? [{ what: each.what, attributes: each.attributes }] : [],
    ),
    left: decisions.flatMap((each) => (each.kind === 'left' ? [{ what: each.what, why: each.why }] : [])),
  };
};

const pairUp = async ({ store }: CopyRun, table: TableName, rows: readonly Item[]): Promise<RowPair[]> => {
  if (rows.length === 0) return [];
  const name = store.tableName(table);
  const items = await batchGet(store, { [name]: { Keys: rows.map((row) => keyOf(table, row)), ConsistentRead: true } });
  const own = new Map(items(name).map((item) => [keyTextOf(table, item), item]));
  return rows.map((row) => ({ restored: row, own: own.get(keyTextOf(table, row)) }));
};

/** Copies the missing rows of a page by the rule of their table. Resolves to the outcome of each row. A plan changes nothing. */
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
  { restored, own }: RowPair,
  isPlan: boolean,
): Promise<RowDecision> => {
  if (own) return isCompared(table) && differingIn(table, { restored, own }).length > 0 ? differs : same;
  const decision = await rules[table](tools, restored);
  if (typeof decision !== 'function') return decision;
  return isPlan || (await decision()) ? copied : changedConcurrently(`${table} ${keyTextOf(table, restored)}`);
};

const copied: RowDecision = { kind: 'copied' };

const differs: RowDecision = { kind: 'differs' };

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
