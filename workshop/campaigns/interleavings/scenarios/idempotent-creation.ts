import assert from 'node:assert/strict';
import { maxValidKeysPerCompany } from '../../../../lambdas/api/limits.ts';
import { createApiKeyOnce } from '../../../../lambdas/data/api-keys/api-key-creation.ts';
import { deleteApiKey } from '../../../../lambdas/data/api-keys/api-key-deletion.ts';
import { findApiKey, recordKeyUse } from '../../../../lambdas/data/api-keys/api-keys.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { parseKey, type StoredApiKey } from '../../../../lambdas/domain/api-key.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import {
  actOf,
  alternatingDraw,
  at,
  keysAreOnRecord,
  keysFitSlots,
  keysIn,
  validKeyIds,
} from '../../../../test/support/stage/rows.ts';
import { onboard, startMs } from '../../../../test/support/world.ts';
import { answersOf, type Ending, type Scenario } from '../scenario.ts';

type Given = { readonly apiKey: string };

const create = ({ apiKey }: Given, value = 'a-value', nowMs = startMs) => {
  const presented = parseKey(apiKey);
  if (!presented) throw new Error('The key of the scene is none.');
  return (own: Store) => createApiKeyOnce(own, actOf(presented.companyId, presented, nowMs), presented, { value });
};

const repeatRows = (tables: Tables) =>
  [...rowsOf(tables, 'AuditLog').values()].filter(({ operation }) => String(operation).endsWith(' repeat')).length;

const shownKeys = (ending: Ending) =>
  answersOf<Awaited<ReturnType<typeof createApiKeyOnce>>>(ending).flatMap((answer) =>
    'key' in answer ? [answer.key.apiKey] : [],
  );

/** Equal requests of a company that has `keyCount` keys. */
const equalRequests =
  (keyCount: number, requests: number): Scenario['arrange'] =>
  async (store) => {
    const { key } = await onboard(store, { keys: keyCount });
    const request = create(key);
    return {
      operations: Object.fromEntries(Array.from({ length: requests }, (_, index) => [`request ${index}`, request])),
      afterEach: (before, after) => {
        keysAreOnRecord(before, after);
        keysFitSlots(after);
        assert(keysIn(after).length <= keyCount + 1, 'equal requests created two keys');
      },
      atEnd: (ending) => {
        assert(new Set(shownKeys(ending)).size <= 1, 'equal requests were answered with two keys');
        if (ending.isUndisturbed) assert.equal(shownKeys(ending).length, requests);
      },
    };
  };

export const idempotentCreationScenarios: readonly Scenario[] = [
  {
    name: 'two equal requests for a key',
    guarantee: 'one key is created, and both are answered with it',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: equalRequests(1, 2),
  },
  {
    name: 'two equal requests for a key, from nine valid keys',
    guarantee: 'the request that finds no free slot returns the key that took the last one',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: equalRequests(maxValidKeysPerCompany - 1, 2),
  },
  {
    name: 'two equal requests for a key that pick different slots',
    guarantee: 'one key is created, and both are answered with it',
    maxDisturbances: { prove: 1, full: 2 },
    draw: alternatingDraw,
    arrange: equalRequests(1, 2),
  },
  {
    name: 'three equal requests for a key',
    guarantee: 'one key is created, and all three are answered with it',
    maxDisturbances: { prove: 0, full: 0 },
    arrange: equalRequests(1, 3),
  },
  {
    name: 'two equal requests for a key, and the deletion of the caller’s key',
    guarantee: 'at most one key is created, and none once the caller’s key is gone',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { companyId, keys } = await onboard(store, { keys: 2 });
      const [caller, other] = [at(keys, 0), at(keys, 1)];
      const request = create(caller);
      return {
        operations: {
          'request 1': request,
          'request 2': request,
          deletion: (own) => deleteApiKey(own, actOf(companyId, other), caller.keyId),
        },
        afterEach: (before, after) => {
          keysAreOnRecord(before, after);
          keysFitSlots(after);
          const isGone = !validKeyIds(before).includes(caller.keyId);
          assert(!isGone || keysIn(after).length <= keysIn(before).length, 'a deleted key created another');
        },
        atEnd: (ending) => assert(new Set(shownKeys(ending)).size <= 1, 'equal requests were answered with two keys'),
      };
    },
  },
  {
    name: 'two repeats of a creation, and the first use of its key',
    guarantee: 'a key is returned until its first use, and never without an audit row',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      const { companyId, key } = await onboard(store);
      const repeat = create(key);
      const first = await repeat(store);
      if (first.outcome !== 'created') throw new Error(first.outcome);
      const { keyId } = first.key;
      const record = (await findApiKey(store, companyId, keyId)) as StoredApiKey;
      return {
        operations: {
          'repeat 1': repeat,
          'repeat 2': repeat,
          use: async (own) => ({ outcome: `noted: ${await recordKeyUse(own, record, startMs)}` }),
        },
        afterEach: (before, after) => {
          const isShown = repeatRows(after) > repeatRows(before);
          const wasUsed = keysIn(before).some((each) => each.keyId === keyId && each.lastUsedOn !== null);
          assert(!(isShown && wasUsed), 'a used key was shown again');
        },
        atEnd: (ending) => {
          const rows = repeatRows(ending.tables);
          assert(shownKeys(ending).length <= rows, 'a key was shown again off the record');
          if (ending.isUndisturbed) assert.equal(shownKeys(ending).length, rows);
        },
      };
    },
  },
  {
    name: 'two equal requests with an idempotency value that was used a day ago',
    guarantee: 'both return one new key, and the expired record returns none',
    maxDisturbances: { prove: 1, full: 1 },
    arrange: async (store) => {
      const { key } = await onboard(store);
      const earlier = await create(key)(store);
      if (earlier.outcome !== 'created') throw new Error(earlier.outcome);
      const nextDay = create(key, 'a-value', startMs + 86_400_000);
      return {
        operations: { 'next day 1': nextDay, 'next day 2': nextDay },
        afterEach: (before, after) => {
          keysAreOnRecord(before, after);
          keysFitSlots(after);
        },
        atEnd: (ending) => {
          const shown = new Set(shownKeys(ending));
          assert(shown.size <= 1, 'equal requests were answered with two keys');
          assert(!shown.has(earlier.key.apiKey), 'a key was shown again after its day');
        },
      };
    },
  },
];
