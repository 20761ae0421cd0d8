import assert from 'node:assert/strict';
import { createApiKey } from '../../../../lambdas/data/api-keys/api-key-creation.ts';
import { deleteApiKey } from '../../../../lambdas/data/api-keys/api-key-deletion.ts';
import { deleteWithDescendants, type FamilyDeletion } from '../../../../lambdas/data/api-keys/api-key-descendants.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import type { KeyIdentity } from '../../../../lambdas/domain/api-key.ts';
import { onboard } from '../../../support/world.ts';
import type { Ending, Scenario } from '../scenario.ts';
import type { Tables } from '../store/tables.ts';
import { actOf, at, keysAreOnRecord, keysFitSlots, validKeyIds } from './rows.ts';

/** A company with a key that its operator issued, and a stolen one; `create` creates one with another. */
const openScene = async (store: Store) => {
  const { companyId, keys } = await onboard(store, { keys: 2 });
  const create = async (own: Store, creator: KeyIdentity) => {
    const creation = await createApiKey(own, actOf(companyId, creator));
    return creation.outcome === 'created' ? creation.key : undefined;
  };
  const createFirst = async (creator: KeyIdentity) => {
    const key = await create(store, creator);
    if (!key) throw new Error('A key of the scene could not be created.');
    return key;
  };
  return { companyId, kept: at(keys, 0), stolen: at(keys, 1), create, createFirst };
};

/** Whoever is told that a key and its descendants are deleted, none of them is valid any more. */
const noneIsLeft = ({ outcomes, tables, isUndisturbed }: Ending, keptIds: readonly string[]): void => {
  const { revocation } = outcomes;
  const answer = revocation?.kind === 'ended' ? (revocation.value as FamilyDeletion) : undefined;
  if (isUndisturbed) assert.equal(answer?.outcome, 'deleted');
  if (answer?.outcome === 'deleted') assert.deepEqual(validKeyIds(tables).toSorted(), keptIds.toSorted());
};

const afterEach = (before: Tables, after: Tables): void => {
  keysAreOnRecord(before, after);
  keysFitSlots(after);
};

export const apiKeyDescendantScenarios: readonly Scenario[] = [
  {
    name: 'a stolen key and one that it created, which create while the first is deleted with its descendants',
    guarantee: 'when the deletion is answered, none of them is valid, and none comes after it',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { companyId, kept, stolen, create, createFirst } = await openScene(store);
      const child = await createFirst(stolen);
      return {
        operations: {
          'creation by the stolen key': (own) => create(own, stolen),
          'creation by its child': (own) => create(own, child),
          revocation: (own) => deleteWithDescendants(own, actOf(companyId, kept), stolen.keyId),
        },
        afterEach,
        atEnd: (ending) => noneIsLeft(ending, [kept.keyId]),
      };
    },
  },
  {
    name: 'a descendant that creates another, which deletes the one that created it, and the deletion of both',
    guarantee: 'a deleted creator hides nobody: when the deletion is answered, no descendant is valid',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      const { companyId, kept, stolen, create, createFirst } = await openScene(store);
      const child = await createFirst(stolen);
      return {
        operations: {
          thief: async (own) => {
            const grandchild = await create(own, child);
            if (grandchild) await deleteApiKey(own, actOf(companyId, grandchild), child.keyId);
          },
          revocation: (own) => deleteWithDescendants(own, actOf(companyId, kept), stolen.keyId),
        },
        afterEach,
        atEnd: (ending) => noneIsLeft(ending, [kept.keyId]),
      };
    },
  },
  {
    name: 'two keys that delete each other with their descendants',
    guarantee: 'one key is always left',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { companyId, kept: one, stolen: other, createFirst } = await openScene(store);
      await createFirst(one);
      await createFirst(other);
      const deletion = (caller: KeyIdentity, victim: KeyIdentity) => (own: Store) =>
        deleteWithDescendants(own, actOf(companyId, caller), victim.keyId);
      return {
        operations: { one: deletion(one, other), other: deletion(other, one) },
        afterEach: (before, after) => {
          afterEach(before, after);
          assert(validKeyIds(after).length > 0, 'no key is left');
        },
      };
    },
  },
];
