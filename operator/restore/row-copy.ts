import { type Table, type TableName, tables } from '../../lambdas/api/tables.ts';
import { type AuditContext, type AuditTarget, auditPut } from '../../lambdas/data/audit.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/writes.ts';
import type { Records } from './audit-record.ts';

export type Item = Record<string, unknown>;

/** A row of a restored table, and the row under the same key in the stage's own table. */
export type RowPair = { readonly restored: Item; readonly own: Item | undefined };

/** The outcome of a row; in a plan, the expected one. */
export type RowDecision =
  | { readonly kind: 'same' | 'differs' | 'copied' }
  /** The row is set back to the values of these attributes. */
  | { readonly kind: 'set back'; readonly what: string; readonly attributes: string[] }
  | { readonly kind: 'left'; readonly what: string; readonly why: string };

export const same: RowDecision = { kind: 'same' };

export const notCopied = (what: string, why: string): RowDecision => ({ kind: 'left', what, why });

export const changedConcurrently = (what: string) => notCopied(what, 'changed at the same time; run again');

/** Puts a row back. Resolves to false if a concurrent write conflicted. */
export type Copy = () => Promise<boolean>;

/** The rule of a table for a row that is missing. Resolves to its outcome, or to the function that puts it back. */
export type DecideOnMissing = (tools: CopyTools, restored: Item) => Promise<RowDecision | Copy>;

/** What a decision may use. The subject of an audit row is a company's id or, for rows of no company, one of the stage. */
export type CopyTools = {
  readonly store: Store;
  readonly nowMs: number;
  readonly stackName: string;
  /** Read after the page of the stage's own rows, so that they contain all deletions until that read. */
  readonly records: Records;
  readonly auditContext: (subject: string) => Promise<AuditContext>;
};

/** A row to put back, with the items of its transaction and the target of its audit row. */
type PutBack = {
  readonly subject: string;
  readonly userId?: string;
  readonly onRecord: AuditTarget;
  readonly items: Readonly<Record<string, TransactItem>>;
};

/** Returns the function that puts a row back in one transaction with its audit row. */
export const putBack =
  ({ store, auditContext }: CopyTools, { subject, userId, onRecord, items }: PutBack): Copy =>
  async () => {
    const act = { ...(await auditContext(subject)), ...(userId !== undefined && { userId }) };
    return !(await transact(store, { ...items, audit: auditPut(store, act, onRecord) }));
  };

/** Returns the transaction item that puts back a row, on condition that it is still missing. */
export const putMissing = (store: Store, table: TableName, row: Item): TransactItem => ({
  Put: {
    TableName: store.tableName(table),
    Item: row,
    ConditionExpression: `attribute_not_exists(${tables[table].partitionKey})`,
  },
});

/** Returns the transaction item that replaces a row, on condition that it is unchanged since it was read. */
export const putInPlaceOf = (store: Store, table: TableName, row: Item, seen: Item): TransactItem => {
  const compared = Object.entries(seen);
  return {
    Put: {
      TableName: store.tableName(table),
      Item: row,
      ConditionExpression: compared.map((_, index) => `#seen${index} = :seen${index}`).join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(compared.map(([name], index) => [`#seen${index}`, name])),
      ExpressionAttributeValues: Object.fromEntries(compared.map(([, value], index) => [`:seen${index}`, value])),
    },
  };
};

export const keyOf = (table: TableName, row: Item): Item => {
  const { partitionKey, sortKey }: Table = tables[table];
  return { [partitionKey]: row[partitionKey], ...(sortKey && { [sortKey]: row[sortKey] }) };
};

export const keyTextOf = (table: TableName, row: Item): string => Object.values(keyOf(table, row)).join(' ');
