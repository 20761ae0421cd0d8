import assert from 'node:assert/strict';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import type { TableName } from '../../../lambdas/api/tables.ts';
import type { Slot } from '../../../lambdas/data/api-keys/api-keys.ts';
import type { AuditContext, AuditRow } from '../../../lambdas/data/audit.ts';
import { isValidAt, type KeyIdentity, type StoredApiKey } from '../../../lambdas/domain/api-key.ts';
import type { Requesters } from '../../../lambdas/domain/open-change.ts';
import { type Item, rowsOf, type Tables } from '../memory-store/tables.ts';
import { startMs } from '../world.ts';

/** Returns the rows of a table whose sort key has this prefix. */
export const rowsWith = (tables: Tables, table: TableName, prefix: string): Item[] =>
  [...rowsOf(tables, table).values()].filter(({ sk }) => String(sk).startsWith(prefix));

export const keysIn = (tables: Tables) => rowsWith(tables, 'ApiKeys', 'KEY#') as unknown as StoredApiKey[];

export const auditIn = (tables: Tables) => rowsWith(tables, 'AuditLog', '') as unknown as AuditRow[];

export const grantsIn = (tables: Tables): string[] =>
  [...rowsOf(tables, 'Contracts').values()].flatMap(({ gateways }) => Object.keys(gateways as object));

export const validKeyIds = (tables: Tables, nowMs = startMs): string[] =>
  keysIn(tables)
    .filter((key) => isValidAt(key, nowMs))
    .map(({ keyId }) => keyId);

/** At most ten keys are valid, each holds its own slot, and each held slot belongs to an existing key. */
export const keysFitSlots = (tables: Tables, nowMs = startMs): void => {
  const valid = keysIn(tables).filter((key) => isValidAt(key, nowMs));
  const slots = (rowsWith(tables, 'ApiKeys', 'SLOT#') as unknown as Slot[]).filter((slot) => isValidAt(slot, nowMs));
  assert(valid.length <= maxValidKeysPerCompany, `${valid.length} keys are valid`);
  assert.equal(new Set(valid.map(({ slot }) => slot)).size, valid.length, 'two valid keys have one slot');
  assert.deepEqual(
    slots.map(({ slot, keyId }) => `${slot} ${keyId}`).sort(),
    valid.map(({ slot, keyId }) => `${slot} ${keyId}`).sort(),
    'slots and valid keys differ',
  );
};

/** An item is in the index of open changes exactly while it has an open change, and in that of ends by the earliest end. */
export const openChangesAreListed = (item: object): void => {
  const has = (name: string) => name in item;
  assert.deepEqual(
    [has('openPartition'), has('openSince')],
    Array(2).fill(has('desired')),
    'an open change is not listed, or a fulfilled one is',
  );
  const { openUntil, desiredBy = {} }: { openUntil?: string; desiredBy?: Requesters } = item;
  const ends = Object.values(desiredBy).flatMap(({ validUntilMs }) => validUntilMs ?? []);
  assert.equal(openUntil && Date.parse(openUntil), ends.toSorted((one, other) => one - other)[0], 'the end is another');
};

/** No row of the audit log is removed or changed. */
export const recordIsKept = (before: Tables, after: Tables): void => {
  const [old, young] = [rowsOf(before, 'AuditLog'), rowsOf(after, 'AuditLog')];
  if (old === young) return;
  for (const [key, row] of old) assert.equal(young.get(key), row, 'a row of the audit log changed');
};

/** The rows of the audit log that a step has added. */
export const newRecords = (before: Tables, after: Tables): AuditRow[] => {
  const old = rowsOf(before, 'AuditLog');
  return [...rowsOf(after, 'AuditLog')].flatMap(([key, row]) => (old.has(key) ? [] : [row as unknown as AuditRow]));
};

/** Returns the keys of the rows that a step added, changed or removed, partition key first. */
export const changedKeys = (before: Tables, after: Tables, table: TableName): string[][] => {
  const [old, young] = [rowsOf(before, table), rowsOf(after, table)];
  if (old === young) return [];
  return [...new Set([...old.keys(), ...young.keys()])]
    .filter((key) => old.get(key) !== young.get(key))
    .map((key) => key.split('\0'));
};

/** Each key that a step creates or deletes has an audit row of the same step. */
export const keysAreOnRecord = (before: Tables, after: Tables): void => {
  recordIsKept(before, after);
  const [old, young] = [rowsOf(before, 'ApiKeys'), rowsOf(after, 'ApiKeys')];
  const recorded = newRecords(before, after).map(({ keyId }) => keyId);
  for (const key of new Set([...old.keys(), ...young.keys()]))
    if (key.includes('\0KEY#') && old.has(key) !== young.has(key))
      assert(recorded.includes(key.split('#')[1]), 'a key came or went off the record');
};

/** The audit context of an act by a key of the company, or by the operator. */
export const actOf = (companyId: string, actorKey: KeyIdentity | null, nowMs = startMs): AuditContext => ({
  companyId,
  nowMs,
  requestId: 'a-request',
  operation: actorKey ? 'createApiKey' : 'key issue',
  actorKey,
});

/** The audit context of a portal event from `afterMs` after the scenario's beginning. */
export const eventContext = (companyId: string, afterMs: number): AuditContext => ({
  ...actOf(companyId, null, startMs + afterMs),
  requestId: `event of ${afterMs}`,
});

/** Returns an element of the list. Throws if it does not exist. */
export const at = <T>(list: readonly T[], index: number): T => {
  const element = list[index];
  if (element === undefined) throw new Error(`There is no element ${index}.`);
  return element;
};

/** Draws the least and the greatest number in turn, so that two callers pick different free slots. */
export const alternatingDraw = (ordinal: number): number => (ordinal % 2 === 0 ? 0 : 0.999);
