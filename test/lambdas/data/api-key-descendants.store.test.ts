import { randomUUID } from 'node:crypto';
import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../../lambdas/data/api-keys/api-key-creation.ts';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { deleteWithDescendants } from '../../../lambdas/data/api-keys/api-key-descendants.ts';
import { readAllApiKeys, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import type { AuditContext } from '../../../lambdas/data/audit.ts';
import type { KeyIdentity } from '../../../lambdas/domain/api-key.ts';
import { addMonths } from '../../../lambdas/domain/time.ts';
import { consistencyOf, killedAt, overtakenBy, readAudit } from '../../support/store.ts';
import { issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const actOf = (companyId: string, actorKey: KeyIdentity | null, nowMs = startMs): AuditContext => ({
  companyId,
  nowMs,
  requestId: randomUUID(),
  operation: 'deleteApiKey',
  actorKey,
});

const create = async (creator: KeyIdentity, nowMs = startMs) => {
  const creation = await createApiKey(world.store, actOf(creator.companyId, creator, nowMs));
  if (creation.outcome !== 'created') throw new Error(creation.outcome);
  return creation.key;
};

/** A company with its own key, which has a child, and a stolen key with a child and a grandchild. */
const openScene = async () => {
  const { companyId, key: kept } = await onboard(world.store);
  const stolen = await issueKey(world.store, companyId);
  const child = await create(stolen);
  const grandchild = await create(child);
  const ofKept = await create(kept);
  const keyIds = async () => (await readAllApiKeys(world.store, companyId)).map(({ keyId }) => keyId).toSorted();
  const deleteFrom = (keyId: string, actor: KeyIdentity | null = kept, store = world.store) =>
    deleteWithDescendants(store, actOf(companyId, actor), keyId);
  return { companyId, kept, stolen, child, grandchild, ofKept, keyIds, deleteFrom };
};

const idsOf = (...keys: readonly KeyIdentity[]) => keys.map(({ keyId }) => keyId);

describe('the deletion of a key with its descendants', () => {
  test('deletes parents first, with an audit row for each key, and no other keys', async () => {
    const { companyId, kept, stolen, child, grandchild, ofKept, keyIds, deleteFrom } = await openScene();
    const deleted = idsOf(stolen, child, grandchild);
    expect(await deleteFrom(stolen.keyId)).toEqual({ outcome: 'deleted', deleted });
    expect(await keyIds()).toEqual(idsOf(kept, ofKept).toSorted());
    expect((await readTakenSlots(world.store, companyId, startMs)).length).toBe(2);
    const rows = (await readAudit(world.store, companyId)).filter(({ after }) => after === undefined);
    expect(rows.map(({ keyId }) => keyId).toSorted()).toEqual(deleted.toSorted());
  });

  test('finds descendants even if their ancestors, or the key itself, were deleted before', async () => {
    const { companyId, kept, stolen, child, grandchild, ofKept, keyIds, deleteFrom } = await openScene();
    for (const { keyId } of [child, stolen]) await deleteApiKey(world.store, actOf(companyId, kept), keyId);
    expect(await deleteFrom(stolen.keyId)).toEqual({ outcome: 'deleted', deleted: [grandchild.keyId] });
    expect(await keyIds()).toEqual(idsOf(kept, ofKept).toSorted());
  });

  test('finds nothing for an unknown key and for a key of another company', async () => {
    const [own, other] = [await openScene(), await openScene()];
    for (const keyId of ['nobody', other.stolen.keyId])
      expect(await own.deleteFrom(keyId)).toEqual({ outcome: 'api-key-not-found', deleted: [] });
    expect((await other.keyIds()).length).toBe(5);
  });

  test('is refused if the caller’s key is one of them, and deletes nothing', async () => {
    const { stolen, child, grandchild, keyIds, deleteFrom } = await openScene();
    for (const caller of [stolen, child, grandchild])
      expect(await deleteFrom(stolen.keyId, caller)).toEqual({ outcome: 'api-key-in-use', deleted: [] });
    expect((await keyIds()).length).toBe(5);
  });

  test('returns the keys deleted so far if the caller’s key is deleted meanwhile', async () => {
    const { companyId, kept, stolen, child, keyIds, deleteFrom } = await openScene();
    const deleteCaller = () => deleteApiKey(world.store, actOf(companyId, null), kept.keyId);
    const overtaken = overtakenBy(world.store, deleteCaller, 2);
    expect(await deleteFrom(stolen.keyId, kept, overtaken)).toEqual({
      outcome: 'api-key-invalid',
      deleted: [stolen.keyId],
    });
    expect(await keyIds()).toContain(child.keyId);
  });

  test('is refused to an expired key, and deletes nothing', async () => {
    const { companyId, kept, stolen, keyIds } = await openScene();
    const act = { ...actOf(companyId, kept), nowMs: kept.expiresAtMs };
    expect(await deleteWithDescendants(world.store, act, stolen.keyId)).toEqual({
      outcome: 'api-key-expired',
      deleted: [],
    });
    expect((await keyIds()).length).toBe(5);
  });

  test('includes expired keys', async () => {
    const { companyId, stolen, keyIds } = await openScene();
    const nowMs = addMonths(startMs, 7);
    const { keyId } = await issueKey(world.store, companyId, nowMs);
    const act = actOf(companyId, null, nowMs);
    expect((await deleteWithDescendants(world.store, act, stolen.keyId)).deleted.length).toBe(3);
    expect((await keyIds()).length).toBe(3);
    expect(await keyIds()).toContain(keyId);
  });

  test('is completed by a second run, wherever the first one was interrupted', async () => {
    let isKilled = true;
    for (let ordinal = 0; isKilled; ordinal++) {
      const { kept, stolen, ofKept, keyIds, deleteFrom } = await openScene();
      const killed = killedAt(world.store, ordinal, ordinal % 2 === 0);
      isKilled = await deleteFrom(stolen.keyId, kept, killed).then(
        () => false,
        () => true,
      );
      const { outcome } = await deleteFrom(stolen.keyId);
      if (!isKilled) expect(outcome).toBe('api-key-not-found');
      expect(await keyIds()).toEqual(idsOf(kept, ofKept).toSorted());
    }
  });

  test('reads again if a query, which is not a snapshot, returned no keys', async () => {
    const { companyId, stolen, child, grandchild, keyIds, deleteFrom } = await openScene();
    for (const { keyId } of [stolen, grandchild]) await deleteApiKey(world.store, actOf(companyId, null), keyId);
    let created: KeyIdentity | undefined;
    const send = async (command: Parameters<typeof world.store.send>[0]) => {
      const seen = await world.store.send(command);
      if (created || !(command instanceof QueryCommand)) return seen;
      // The query passed the position of the new key before its creation, and that of its creator after its deletion.
      created = await create(child);
      await deleteApiKey(world.store, actOf(companyId, created), child.keyId);
      return {
        ...seen,
        Items: ((seen as QueryCommandOutput).Items ?? []).filter(({ keyId }) => keyId !== child.keyId),
      };
    };
    const { outcome } = await deleteFrom(stolen.keyId, null, { ...world.store, send: send as typeof world.store.send });
    expect(outcome).toBe('deleted');
    expect(await keyIds()).not.toContain(created?.keyId);
  });

  test('reads keys and tombstones strongly consistent', async () => {
    const { companyId, child, grandchild, stolen, deleteFrom } = await openScene();
    for (const { keyId } of [child, stolen]) await deleteApiKey(world.store, actOf(companyId, null), keyId);
    const reads = await consistencyOf(() => deleteFrom(grandchild.keyId));
    // Two reads of all slots and one write are transactions, which are always consistent, without a parameter for it.
    expect(reads.filter((isConsistent) => !isConsistent).length).toBe(3);
    expect(reads.filter((isConsistent) => isConsistent).length).toBe(5);
  });
});
