import assert from 'node:assert/strict';
import { createApiKey } from '../../../../lambdas/data/api-keys/api-key-creation.ts';
import { deleteApiKey } from '../../../../lambdas/data/api-keys/api-key-deletion.ts';
import { deleteWithDescendants } from '../../../../lambdas/data/api-keys/api-key-descendants.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import type { KeyIdentity } from '../../../../lambdas/domain/api-key.ts';
import type { Tables } from '../../../../test/support/memory-store/tables.ts';
import { actOf, at, keysAreOnRecord, keysFitSlots, validKeyIds } from '../../../../test/support/stage/rows.ts';
import { onboard } from '../../../../test/support/world.ts';
import type { Ending, Scenario, Scene } from '../scenario.ts';

const create = async (store: Store, creator: KeyIdentity) => {
  const creation = await createApiKey(store, actOf(creator.companyId, creator));
  return creation.outcome === 'created' ? creation.key : undefined;
};

const createFirst = async (store: Store, creator: KeyIdentity) => {
  const key = await create(store, creator);
  if (!key) throw new Error('A key of the scene could not be created.');
  return key;
};

const revoke = (caller: KeyIdentity, victim: KeyIdentity) => (store: Store) =>
  deleteWithDescendants(store, actOf(caller.companyId, caller), victim.keyId);

/** When the deletion of a key and its descendants is answered, no other key than the kept one is valid. */
const noneIsLeft = ({ outcomes, tables, isUndisturbed }: Ending, keptId: string): void => {
  const { revocation } = outcomes;
  const answer =
    revocation?.kind === 'ended' ? (revocation.value as Awaited<ReturnType<typeof deleteWithDescendants>>) : undefined;
  if (isUndisturbed) assert.equal(answer?.outcome, 'deleted');
  if (answer?.outcome === 'deleted') assert.deepEqual(validKeyIds(tables), [keptId]);
};

const afterEach = (before: Tables, after: Tables): void => {
  keysAreOnRecord(before, after);
  keysFitSlots(after);
};

/** Arranges a stolen key, a key that it created, and a third key that deletes both. */
const revokedAmid =
  (thieves: (stolen: KeyIdentity, child: KeyIdentity) => Scene['operations']): Scenario['arrange'] =>
  async (store) => {
    const { keys } = await onboard(store, { keys: 2 });
    const [kept, stolen] = [at(keys, 0), at(keys, 1)];
    const child = await createFirst(store, stolen);
    return {
      operations: { ...thieves(stolen, child), revocation: revoke(kept, stolen) },
      afterEach,
      atEnd: (ending) => noneIsLeft(ending, kept.keyId),
    };
  };

export const apiKeyDescendantScenarios: readonly Scenario[] = [
  {
    name: 'a stolen key and its child create keys while the stolen key is deleted with its descendants',
    guarantee: 'after the answer to the deletion, no such key is valid, and no new one is created',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: revokedAmid((stolen, child) => ({
      'creation by the stolen key': (own) => create(own, stolen),
      'creation by its child': (own) => create(own, child),
    })),
  },
  {
    name: 'a descendant creates a key that deletes its creator, while both are deleted',
    guarantee: 'a deleted creator hides no key: after the answer to the deletion, no descendant is valid',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: revokedAmid((_, child) => ({
      thief: async (own) => {
        const grandchild = await create(own, child);
        if (grandchild) await deleteApiKey(own, actOf(child.companyId, grandchild), child.keyId);
      },
    })),
  },
  {
    name: 'two keys that delete each other with their descendants',
    guarantee: 'one key is always left',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { keys } = await onboard(store, { keys: 2 });
      const [one, other] = [at(keys, 0), at(keys, 1)];
      await createFirst(store, one);
      await createFirst(store, other);
      return {
        operations: { one: revoke(one, other), other: revoke(other, one) },
        afterEach: (before, after) => {
          afterEach(before, after);
          assert(validKeyIds(after).length > 0, 'no key is left');
        },
      };
    },
  },
];
