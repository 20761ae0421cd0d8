import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import type { TableName } from '../../lambdas/api/tables.ts';
import { findApiKey, keyItemKey, slotItemKey } from '../../lambdas/data/api-keys/api-keys.ts';
import type { AuditContext } from '../../lambdas/data/audit.ts';
import type { NewKey } from '../../lambdas/domain/api-key.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { recordsOf } from '../../operator/restore/audit-record.ts';
import { type ComparedTable, setBackDiffering } from '../../operator/restore/differing-rows.ts';
import { type CopyTools, type Item, keyOf } from '../../operator/restore/row-copy.ts';
import { copyRows } from '../../operator/restore/table-copy.ts';
import { type OperatorOptions, operate, operateForJson } from './operator.ts';
import { withPointInTimeRecovery } from './point-in-time.ts';
import { operatorActOn, overtakenBy } from './store.ts';
import { startMs, theWorld } from './world.ts';

/** The input of a copy of rows that were restored to `startMs`. */
export const copyTools = (store = theWorld().store, nowMs: number = startMs): CopyTools => ({
  store,
  nowMs,
  stackName: 'PartnerApi-test',
  records: recordsOf(store, [store.tableName('AuditLog')], startMs),
  auditContext: async (subject) => operatorActOn(subject, nowMs),
});

type Circumstances = {
  /** The rows of the stage. */
  readonly own?: Item | undefined | readonly (Item | undefined)[];
  /** Runs before the first write. */
  readonly meanwhile?: (() => Promise<unknown>) | undefined;
  readonly nowMs?: number;
};

/** Copies restored rows; returns for each whether it was copied, or why not. */
export const copyAll = async (
  table: Parameters<typeof copyRows>[1],
  restored: readonly Item[],
  { own = [], meanwhile, nowMs }: Circumstances = {},
) => {
  const { store } = theWorld();
  const tools = copyTools(meanwhile ? overtakenBy(store, meanwhile) : store, nowMs);
  const pairs = restored.map((row) => ({ restored: row, own: [own].flat().find((each) => each?.sk === row.sk) }));
  const decisions = await copyRows(tools, table, pairs, false);
  return decisions.map((decision) => (decision.kind === 'left' ? decision.why : decision.kind));
};

export const copyOne = async (table: Parameters<typeof copyRows>[1], restored: Item, circumstances?: Circumstances) =>
  (await copyAll(table, [restored], circumstances))[0];

/** Sets back a restored row that differs; returns its outcome, or why it was left. */
export const setBackOne = async (table: ComparedTable, restored: Item, { meanwhile }: Circumstances = {}) => {
  const { store } = theWorld();
  const tools = copyTools(meanwhile ? overtakenBy(store, meanwhile) : store, startMs + 3_600_000);
  const pair = { restored, own: await findRow(table, restored) };
  const [decision] = await setBackDiffering(tools, table, [pair], false);
  return decision?.kind === 'left' ? decision.why : decision;
};

export const changedConcurrently = 'changed at the same time; run again';

export const putRow = (table: TableName, row: Item) =>
  theWorld().store.send(new PutCommand({ TableName: theWorld().store.tableName(table), Item: row }));

export const loseRow = (table: TableName, row: Item) =>
  theWorld().store.send(new DeleteCommand({ TableName: theWorld().store.tableName(table), Key: keyOf(table, row) }));

export const findRow = async (table: TableName, row: Item): Promise<Item | undefined> => {
  const Key = keyOf(table, row);
  const { store } = theWorld();
  return (await store.send(new GetCommand({ TableName: store.tableName(table), Key }))).Item;
};

/** Deletes a key and its slot. */
export const loseKey = async (companyId: string, key: NewKey) => {
  const { slot } = (await findApiKey(theWorld().store, companyId, key.keyId)) ?? { slot: -1 };
  await loseRow('ApiKeys', keyItemKey(key));
  await loseRow('ApiKeys', slotItemKey(companyId, slot));
};

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** The time at which the operator restores tables to `startMs`. */
export const presentMs = startMs + 3 * 60 * minuteMs;

export const toStart = ['--to', toTimestamp(startMs)];
export const because = ['--yes', '--reason', 'ticket 9'];

let stage: OperatorOptions & { readonly connection: { readonly stackName: string } };

/** Creates empty tables of a stack, which can be restored. */
export const takeNewStack = async () => {
  await theWorld().takeNewTables();
  const window = { earliestMs: startMs - 35 * dayMs, latestMs: presentMs - 5 * minuteMs };
  const store = withPointInTimeRecovery(theWorld().store, window);
  stage = { store, nowMs: presentMs, connection: { stackName: `PartnerApi-${randomUUID()}` } };
};

export const theStage = () => stage;

/** The name of the table to which a table is restored, in its state at `startMs`. */
export const restoredNameOf = (table: TableName) => `${stage.connection.stackName}-restored-${table}-20360310T120000Z`;

export const restore = (...argv: string[]) => operateForJson(['restore', ...argv], stage);

export const restoreNow = async () => expect((await restore('start', ...toStart, ...because)).exit).toBe('ok');

/** Runs a command this many minutes after the restored second. */
export const operateAt = (minutes: number, ...argv: string[]) =>
  operate([...argv, ...because], { ...stage, nowMs: startMs + minutes * minuteMs });

/** The audit context of a request of a partner, this many minutes after the restored second. */
export const partnerActAt = (minutes: number, companyId: string, operation: string): AuditContext => ({
  ...operatorActOn(companyId, startMs + minutes * minuteMs),
  operation,
});
