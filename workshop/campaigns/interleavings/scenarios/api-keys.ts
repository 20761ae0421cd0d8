import assert from 'node:assert/strict';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { maxValidKeysPerCompany } from '../../../../lambdas/api/limits.ts';
import { createApiKey } from '../../../../lambdas/data/api-keys/api-key-creation.ts';
import { deleteApiKey } from '../../../../lambdas/data/api-keys/api-key-deletion.ts';
import { findApiKey, recordKeyUse } from '../../../../lambdas/data/api-keys/api-keys.ts';
import { generateKey } from '../../../../lambdas/domain/api-key.ts';
import { addMonths } from '../../../../lambdas/domain/time.ts';
import { issueApiKey } from '../../../../operator/companies/key-issue.ts';
import type { Tables } from '../../../../test/support/memory-store/tables.ts';
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

type Issue = Awaited<ReturnType<typeof issueApiKey>>;

type Deletion = Awaited<ReturnType<typeof deleteApiKey>>;

type Creation = Awaited<ReturnType<typeof createApiKey>>;

const nine = maxValidKeysPerCompany - 1;

/** The guarantees on keys in every scenario. */
const keysStayInOrder =
  (nowMs = startMs) =>
  (before: Tables, after: Tables): void => {
    keysAreOnRecord(before, after);
    keysFitSlots(after, nowMs);
  };

const created = (ending: Ending) =>
  answersOf<Creation>(ending).flatMap((answer) => (answer.outcome === 'created' ? [answer.key.keyId] : []));

/** Each key that was returned is valid, and without faults there is no other new key. */
const givenKeysAreThere = (ending: Ending, keysBefore: number): void => {
  const there = validKeyIds(ending.tables);
  for (const keyId of created(ending)) assert(there.includes(keyId), 'a key was given that is not valid');
  if (ending.isUndisturbed) assert.equal(there.length, keysBefore + created(ending).length);
};

const creationsWithKeys =
  (keyCount: number, creations: number): Scenario['arrange'] =>
  async (store) => {
    const { companyId, keys } = await onboard(store, { keys: keyCount });
    const names = Array.from({ length: creations }, (_, index) => index);
    return {
      operations: Object.fromEntries(
        names.map((index) => [
          `creation ${index}`,
          (own) => createApiKey(own, actOf(companyId, at(keys, index % keyCount))),
        ]),
      ),
      afterEach: keysStayInOrder(),
      atEnd: (ending) => {
        givenKeysAreThere(ending, keyCount);
        if (ending.isUndisturbed)
          assert.equal(created(ending).length, Math.min(creations, maxValidKeysPerCompany - keyCount));
      },
    };
  };

/** Each key deletes the next in a ring. */
const ringOf =
  (length: number): Scenario['arrange'] =>
  async (store) => {
    const { companyId, keys } = await onboard(store, { keys: length });
    return {
      operations: Object.fromEntries(
        keys.map((key, index) => [
          `key ${index}`,
          (own) => deleteApiKey(own, actOf(companyId, key), at(keys, (index + 1) % length).keyId),
        ]),
      ),
      afterEach: (before, after) => {
        keysStayInOrder()(before, after);
        assert(validKeyIds(after).length > 0, 'no key is left');
      },
      atEnd: (ending) => {
        const deleted = answersOf<Deletion>(ending).filter(({ outcome }) => outcome === 'deleted').length;
        const left = validKeyIds(ending.tables).length;
        if (ending.isUndisturbed) assert.equal(left, length - deleted);
        else assert(left <= length - deleted);
      },
    };
  };

export const apiKeyScenarios: readonly Scenario[] = [
  {
    name: 'two creations from nine valid keys',
    guarantee: 'there are never more than ten valid keys, each with its own slot and audit row',
    maxDisturbances: { prove: 1, full: 3 },
    arrange: creationsWithKeys(nine, 2),
  },
  {
    name: 'three creations from eight valid keys',
    guarantee: 'there are never more than ten valid keys, and two of the three are created',
    maxDisturbances: { prove: 0, full: 0 },
    arrange: creationsWithKeys(nine - 1, 3),
  },
  {
    name: 'three creations from eight valid keys, not all of which pick the same slot',
    guarantee: 'there are never more than ten valid keys, and two of the three are created',
    maxDisturbances: { prove: 0, full: 1 },
    draw: alternatingDraw,
    arrange: creationsWithKeys(nine - 1, 3),
  },
  {
    name: 'two keys that delete each other',
    guarantee: 'one key is always left',
    maxDisturbances: { prove: 1, full: 3 },
    arrange: ringOf(2),
  },
  {
    name: 'three keys that delete each other in a ring',
    guarantee: 'one key is always left',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: ringOf(3),
  },
  {
    name: 'a creation by a key that another deletes',
    guarantee: 'the key that creates another is valid at that moment',
    maxDisturbances: { prove: 1, full: 3 },
    arrange: async (store) => {
      const { companyId, keys } = await onboard(store, { keys: 2 });
      const [kept, gone] = [at(keys, 0), at(keys, 1)];
      return {
        operations: {
          creation: (own) => createApiKey(own, actOf(companyId, gone)),
          deletion: (own) => deleteApiKey(own, actOf(companyId, kept), gone.keyId),
        },
        afterEach: (before, after) => {
          keysStayInOrder()(before, after);
          const isGone = !validKeyIds(before).includes(gone.keyId);
          assert(!isGone || keysIn(after).length <= keysIn(before).length, 'a deleted key created another');
        },
        atEnd: (ending) => {
          for (const keyId of created(ending)) assert(validKeyIds(ending.tables).includes(keyId));
          if (ending.isUndisturbed)
            assert.deepEqual(ending.outcomes.deletion, { kind: 'ended', value: { outcome: 'deleted' } });
        },
      };
    },
  },
  {
    name: 'two deletions of one key',
    guarantee: 'one deletes it, the other does not find it, and there is one audit row',
    maxDisturbances: { prove: 1, full: 3 },
    arrange: async (store) => {
      const { companyId, keys } = await onboard(store, { keys: 2 });
      const [kept, { keyId: gone }] = [at(keys, 0), at(keys, 1)];
      const deletion = (own: typeof store) =>
        deleteApiKey(own, { ...actOf(companyId, kept), operation: 'deleteApiKey' }, gone);
      return {
        operations: { first: deletion, second: deletion },
        afterEach: keysStayInOrder(),
        atEnd: (ending) => {
          const deleted = answersOf<Deletion>(ending).filter(({ outcome }) => outcome === 'deleted').length;
          assert(deleted <= 1, 'both deleted one key');
          if (ending.isUndisturbed) assert.equal(deleted, 1);
        },
      };
    },
  },
  {
    name: 'the deletion of an expired key and a creation that takes its slot',
    guarantee: 'the slot belongs to the new key',
    maxDisturbances: { prove: 1, full: 3 },
    arrange: async (store) => {
      const { companyId, key: expired } = await onboard(store);
      const nowMs = addMonths(startMs, 6);
      const issue = await createApiKey(store, actOf(companyId, null, nowMs - 1000));
      if (issue.outcome !== 'created') throw new Error(issue.outcome);
      const act = actOf(companyId, issue.key, nowMs);
      return {
        operations: {
          deletion: (own) => deleteApiKey(own, act, expired.keyId),
          creation: (own) => createApiKey(own, act),
        },
        afterEach: keysStayInOrder(nowMs),
        atEnd: (ending) => {
          for (const keyId of created(ending)) assert(validKeyIds(ending.tables, nowMs).includes(keyId));
          if (ending.isUndisturbed) assert.equal(validKeyIds(ending.tables, nowMs).length, 2);
        },
      };
    },
  },
  {
    name: 'two operators register one key while the company creates one, from nine valid keys',
    guarantee: 'there are never more than ten valid keys, and the operator’s key is registered once',
    maxDisturbances: { prove: 0, full: 0 },
    arrange: async (store) => {
      const { companyId, keys } = await onboard(store, { keys: nine });
      const key = generateKey(companyId, startMs);
      const issue = (own: typeof store) => issueApiKey(own, actOf(companyId, null), key);
      return {
        operations: {
          'operator 1': issue,
          'operator 2': issue,
          creation: (own) => createApiKey(own, actOf(companyId, at(keys, 0))),
        },
        afterEach: keysStayInOrder(),
        atEnd: (ending) => {
          const isIssued = answersOf<Issue | Creation>(ending).some(({ outcome }) => outcome === 'issued');
          if (isIssued) assert(validKeyIds(ending.tables).includes(key.keyId), 'a key was issued that is not valid');
        },
      };
    },
  },
  {
    name: 'two operators who register one key',
    guarantee: 'both learn that it is issued; it is registered once, with one audit row',
    maxDisturbances: { prove: 1, full: 3 },
    arrange: async (store) => {
      const { companyId } = await onboard(store);
      const key = generateKey(companyId, startMs);
      const issue = (own: typeof store) => issueApiKey(own, actOf(companyId, null), key);
      return {
        operations: { 'operator 1': issue, 'operator 2': issue },
        afterEach: keysStayInOrder(),
        atEnd: (ending) => {
          for (const { outcome } of answersOf<Issue>(ending)) assert.equal(outcome, 'issued');
          if (answersOf(ending).length > 0) assert.equal(validKeyIds(ending.tables).length, 2);
        },
      };
    },
  },
  {
    name: 'two records of use on two days, and the deletion of the key',
    guarantee: 'recording a use never restores a deleted key, and the last day of use only grows',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { companyId, keys } = await onboard(store, { keys: 2 });
      const [kept, { keyId: gone }] = [at(keys, 0), at(keys, 1)];
      const use = (nowMs: number) => async (own: typeof store) => {
        const key = await findApiKey(own, companyId, gone);
        // A late note whose condition fails is dropped, as in the request chain.
        if (key) await recordKeyUse(own, key, nowMs).catch(unlessConditionFailed);
      };
      return {
        operations: {
          'use today': use(startMs),
          'use tomorrow': use(startMs + 86_400_000),
          deletion: (own) => deleteApiKey(own, actOf(companyId, kept), gone),
        },
        afterEach: (before, after) => {
          keysStayInOrder()(before, after);
          const [old, young] = [before, after].map((tables) => keysIn(tables).find(({ keyId }) => keyId === gone));
          assert(old || !young, 'a deleted key came back');
          assert(!young || (young.lastUsedOn ?? '') >= (old?.lastUsedOn ?? ''), 'the day of use went back');
        },
      };
    },
  },
];

const unlessConditionFailed = (error: unknown): void => {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
};
