import assert from 'node:assert/strict';
import { deleteApiKey } from '../../../../lambdas/data/api-keys/api-key-deletion.ts';
import { putDueNotices, readSlotsByExpiryMonth } from '../../../../lambdas/data/api-keys/key-notices.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { toMonth } from '../../../../lambdas/domain/time.ts';
import { rowsOf } from '../../../../test/support/memory-store/tables.ts';
import { actOf, at, keysIn } from '../../../../test/support/stage/rows.ts';
import { onboard } from '../../../../test/support/world.ts';
import { answersOf, type Scenario } from '../scenario.ts';

/** Writes the notices that are due in a month, as the scheduled watch does; returns the number of new ones. */
const watch = (nowMs: number, month: string) => async (store: Store) => {
  const keys = await readSlotsByExpiryMonth(store, month);
  return putDueNotices(store, [{ keys, registered: [] }], nowMs);
};

/** One or more watches, concurrent with the deletion of one of two keys that expire. */
const watches =
  (count: number): Scenario['arrange'] =>
  async (store) => {
    const { companyId, keys } = await onboard(store, { keys: 2 });
    const [kept, gone] = [at(keys, 0), at(keys, 1)];
    const nowMs = kept.expiresAtMs - 10 * 86_400_000;
    const run = watch(nowMs, toMonth(kept.expiresAtMs));
    return {
      operations: {
        ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`watch ${index}`, run])),
        deletion: async (own) => {
          await deleteApiKey(own, actOf(companyId, kept, nowMs), gone.keyId);
        },
      },
      afterEach: (before, after) => {
        const [old, young] = [rowsOf(before, 'KeyNotices'), rowsOf(after, 'KeyNotices')];
        const there = keysIn(before).map(({ keyId }) => keyId);
        for (const [key, notice] of young) {
          if (old.has(key)) assert.equal(notice, old.get(key), 'a notice was put twice');
          else assert(there.includes(String(notice.keyId)), 'a deleted key was announced');
        }
      },
      atEnd: (ending) => {
        const put = rowsOf(ending.tables, 'KeyNotices').size;
        const stored = answersOf<number | undefined>(ending).reduce<number>((sum, given) => sum + (given ?? 0), 0);
        assert(stored <= put, 'a notice was counted twice');
        if (ending.isUndisturbed) assert.equal(stored, put);
        // Every watch that ended has announced the key that stays.
        if (ending.isUndisturbed)
          assert([...rowsOf(ending.tables, 'KeyNotices').values()].some(({ keyId }) => keyId === kept.keyId));
      },
    };
  };

export const keyNoticeScenarios: readonly Scenario[] = [
  {
    name: 'a watch, and the deletion of a key that expires',
    guarantee: 'a deleted key is not announced, however stale the index',
    maxDisturbances: { prove: 2, full: 3 },
    arrange: watches(1),
  },
  {
    name: 'two watches, and the deletion of a key that expires',
    guarantee: 'a notice is written once, and a deleted key is not announced',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: watches(2),
  },
];
