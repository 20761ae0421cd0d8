import { type Table, type TableName, tables } from '../../lambdas/api/tables.ts';
import { type AuditContext, type AuditTarget, auditPut } from '../../lambdas/data/audit.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/writes.ts';
import type { Records } from './audit-record.ts';

export type Item = Record<string, unknown>;

/** A row of a restored table, and the row under the same key in the stage's own table. */
export type RowPair = { readonly restored: Item; readonly own: Item | undefined };

/** What became of a row, or would in a plan. */
export type RowDecision =
  | { readonly kind: 'same' | 'copied' }
  | { readonly kind: 'left'; readonly what: string; readonly why: string };

export const same: RowDecision = { kind: 'same' };

export const left = (what: string, why: string): RowDecision => ({ kind: 'left', what, why });

/** Puts a row back; resolves to false if somebody else was there first. */
export type Copy = () => Promise<boolean>;

/** The rule of a table: tells what becomes of a row, or gives the function that copies it. */
export type DecideOnRow = (tools: CopyTools, pair: RowPair) => Promise<RowDecision | Copy>;

/** What a decision may use. Companies are those of rows; the acts on tables as a whole are under the stack's name. */
export type CopyTools = {
  readonly store: Store;
  readonly nowMs: number;
  readonly stackName: string;
  /** Read after the page of the stage's own rows: whatever was taken from them by then is on record. */
  readonly records: Records;
  readonly auditContext: (subject: string) => Promise<AuditContext>;
};

/** A row to put back, with what its transaction checks and writes besides, and what the record says of it. */
type PutBack = {
  readonly subject: string;
  readonly userId?: string;
  readonly onRecord: AuditTarget;
  readonly items: Readonly<Record<string, TransactItem>>;
};

/** The copy that puts a row back in one transaction with its audit row. */
export const putBack =
  ({ store, auditContext }: CopyTools, { subject, userId, onRecord, items }: PutBack): Copy =>
  async () => {
    const act = { ...(await auditContext(subject)), ...(userId !== undefined && { userId }) };
    return !(await transact(store, { ...items, audit: auditPut(store, act, onRecord) }));
  };

/** The part of a transaction that puts back a row that is still missing. */
export const putMissing = (store: Store, table: TableName, row: Item): TransactItem => ({
  Put: {
    TableName: store.tableName(table),
    Item: row,
    ConditionExpression: `attribute_not_exists(${tables[table].partitionKey})`,
  },
});

/** The part of a transaction that puts a row in the place of another, as long as that is as it was seen. */
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
