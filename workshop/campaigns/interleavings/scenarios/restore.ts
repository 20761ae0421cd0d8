import assert from 'node:assert/strict';
import { maxValidKeysPerCompany } from '../../../../lambdas/api/limits.ts';
import { createApiKey } from '../../../../lambdas/data/api-keys/api-key-creation.ts';
import { deleteApiKey } from '../../../../lambdas/data/api-keys/api-key-deletion.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import type { KeyIdentity } from '../../../../lambdas/domain/api-key.ts';
import { copyMissing } from '../../../../operator/restore/table-copy.ts';
import type { Memory } from '../../../../test/support/memory-store/memory.ts';
import { type Item, rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import {
  actOf,
  at,
  auditIn,
  keysAreOnRecord,
  keysFitSlots,
  keysIn,
  rowsWith,
  validKeyIds,
} from '../../../../test/support/stage/rows.ts';
import { onboard, startMs } from '../../../../test/support/world.ts';
import type { Scenario } from '../scenario.ts';

const laterMs = startMs + 60_000;

/** Copies keys back from the table as it was at the beginning. */
const copy = (store: Store) =>
  copyMissing(
    {
      store,
      nowMs: laterMs,
      stackName: 'a-stack',
      toMs: startMs,
      isPlan: false,
      restored: { ApiKeys: 'restored-ApiKeys', AuditLog: 'restored-AuditLog' },
      auditContext: async (subject) => ({ ...actOf(subject, null, laterMs), operation: 'restore copy' }),
    },
    'ApiKeys',
  );

/** A company that lost rows of one key, and the tables of an earlier second that have these rows. */
const companyThatLost = async (
  store: Store,
  memory: Memory,
  { keyCount, rows = ['KEY#', 'SLOT#'] }: { readonly keyCount: number; readonly rows?: readonly ('KEY#' | 'SLOT#')[] },
) => {
  const { companyId, keys } = await onboard(store, { keys: keyCount });
  const now = memory.now();
  const [kept, { keyId: lost }] = [at(keys, 0), at(keys, keyCount - 1)];
  const isLost = ({ keyId, sk }: Item) => keyId === lost && rows.some((row) => String(sk).startsWith(row));
  const inOrder = [...rowsOf(now, 'ApiKeys')];
  const restored = new Map(inOrder.filter(([, row]) => isLost(row)));
  memory.set({
    ...now,
    'restored-ApiKeys': restored,
    'restored-AuditLog': rowsOf(now, 'AuditLog'),
    ApiKeys: new Map(inOrder.filter(([, row]) => !isLost(row))),
  });
  return { companyId, kept, lost };
};

const keysStayInOrder = (before: Tables, after: Tables): void => {
  keysAreOnRecord(before, after);
  keysFitSlots(after, laterMs);
};

const deletionBy = (companyId: string, key: KeyIdentity) => ({
  ...actOf(companyId, key, laterMs),
  operation: 'deleteApiKey',
});

const slotsHaveTheirKeys = (tables: Tables): void => {
  const keyIds = keysIn(tables).map(({ keyId }) => keyId);
  for (const { keyId } of rowsWith(tables, 'ApiKeys', 'SLOT#'))
    assert(keyIds.includes(String(keyId)), 'a slot is held by a key that is not there');
};

/** A key that the audit log has as deleted does not exist. */
const deletedStaysDeleted = (tables: Tables): void => {
  const deleted = auditIn(tables).filter(({ operation }) => operation === 'deleteApiKey');
  for (const { keyId } of deleted)
    assert(!keysIn(tables).some((key) => key.keyId === keyId), 'a deleted key is there again');
};

export const restoreScenarios: readonly Scenario[] = [
  {
    name: 'two operators who copy a lost key back, which is the tenth',
    guarantee: 'it comes back once, in its own slot',
    maxDisturbances: { prove: 0, full: 0 },
    arrange: async (store, memory) => {
      const { companyId } = await companyThatLost(store, memory, { keyCount: maxValidKeysPerCompany });
      return {
        operations: { 'copy 1': copy, 'copy 2': copy },
        afterEach: keysStayInOrder,
        atEnd: ({ tables, isUndisturbed }) => {
          const copies = auditIn(tables).filter(({ operation }) => operation === 'restore copy');
          if (isUndisturbed) assert.deepEqual([validKeyIds(tables, laterMs).length, copies.length], [10, 1], companyId);
        },
      };
    },
  },
  {
    name: 'two operators who copy a lost key back, and its company, which deletes it',
    guarantee: 'once it is deleted, it never comes back',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store, memory) => {
      const { companyId, kept, lost } = await companyThatLost(store, memory, { keyCount: 2, rows: ['KEY#'] });
      return {
        operations: {
          'copy 1': copy,
          'copy 2': copy,
          deletion: (own) => deleteApiKey(own, deletionBy(companyId, kept), lost),
        },
        afterEach: (before, after) => {
          keysStayInOrder(before, after);
          deletedStaysDeleted(after);
        },
      };
    },
  },
  {
    name: 'an operator who copies the lost slot of a key back, and its company, which deletes the key',
    guarantee: 'no slot is held by a missing key',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store, memory) => {
      const { companyId, kept, lost } = await companyThatLost(store, memory, { keyCount: 2, rows: ['SLOT#'] });
      return {
        operations: { copy, deletion: (own) => deleteApiKey(own, deletionBy(companyId, kept), lost) },
        afterEach: (before, after) => {
          keysAreOnRecord(before, after);
          slotsHaveTheirKeys(after);
        },
      };
    },
  },
  {
    name: 'an operator who copies a lost key back, which is the tenth, and a creation that takes its slot',
    guarantee: 'there are never more than ten valid keys',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store, memory) => {
      const { companyId, kept } = await companyThatLost(store, memory, { keyCount: maxValidKeysPerCompany });
      return {
        operations: { copy, creation: (own) => createApiKey(own, actOf(companyId, kept, laterMs)) },
        afterEach: keysStayInOrder,
      };
    },
  },
];
