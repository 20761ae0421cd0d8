import assert from 'node:assert/strict';
import { maxValidKeysPerCompany } from '../../../../lambdas/api/limits.ts';
import { createApiKey } from '../../../../lambdas/data/api-keys/api-key-creation.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { copyTable } from '../../../../operator/restore/table-copy.ts';
import { onboard, startMs } from '../../../support/world.ts';
import type { Scenario } from '../scenario.ts';
import type { Memory } from '../store/memory.ts';
import { rowsOf, type Tables } from '../store/tables.ts';
import { actOf, at, auditIn, keysAreOnRecord, keysFitSlots, validKeyIds } from './rows.ts';

const laterMs = startMs + 60_000;

/** Copies keys back from the table as it was at the begin. */
const copy = (store: Store) =>
  copyTable(
    {
      ...{ store, nowMs: laterMs, stackName: 'a-stack', toMs: startMs, isPlan: false },
      restored: { ApiKeys: 'restored-ApiKeys', AuditLog: 'restored-AuditLog' },
      auditContext: async (subject) => ({ ...actOf(subject, null, laterMs), operation: 'restore copy' }),
    },
    'ApiKeys',
  );

/** A company of which one key was lost with its slot, and the tables of an earlier second that have both. */
const companyThatLostAKey = async (store: Store, memory: Memory, keyCount: number) => {
  const { companyId, keys } = await onboard(store, { keys: keyCount });
  const now = memory.now();
  const [kept, { keyId: lost }] = [at(keys, 0), at(keys, keyCount - 1)];
  const left = [...rowsOf(now, 'ApiKeys')].filter(([, { keyId }]) => keyId !== lost);
  const restored = { 'restored-ApiKeys': rowsOf(now, 'ApiKeys'), 'restored-AuditLog': rowsOf(now, 'AuditLog') };
  memory.set({ ...now, ...restored, ApiKeys: new Map(left) });
  return { companyId, kept, lost };
};

const keysStayInOrder = (before: Tables, after: Tables): void => {
  keysAreOnRecord(before, after);
  keysFitSlots(after, laterMs);
};

export const restoreScenarios: readonly Scenario[] = [
  {
    name: 'two operators who copy a lost key back, which is the tenth',
    guarantee: 'it comes back once, in its own slot',
    maxDisturbances: { prove: 0, full: 0 },
    arrange: async (store, memory) => {
      const { companyId } = await companyThatLostAKey(store, memory, maxValidKeysPerCompany);
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
    name: 'an operator who copies a lost key back, which is the tenth, and a creation that takes its slot',
    guarantee: 'there are never more than ten valid keys',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store, memory) => {
      const { companyId, kept } = await companyThatLostAKey(store, memory, maxValidKeysPerCompany);
      return {
        operations: { copy, creation: (own) => createApiKey(own, actOf(companyId, kept, laterMs)) },
        afterEach: keysStayInOrder,
      };
    },
  },
];
