import type { StoredApiKey } from '../../domain/api-key.ts';
import { type AuditContext, readKeyTombstones } from '../audit.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { deleteApiKey } from './api-key-deletion.ts';
import { type CallerKeyLost, readAllApiKeys, readSlotHolders } from './api-keys.ts';

/** The ids of the deleted keys, in the order of their deletion; for a refusal, those that were deleted before it. */
type FamilyDeletion = { readonly deleted: readonly string[] } & (
  | { readonly outcome: 'deleted' | 'api-key-not-found' | 'api-key-in-use' }
  | CallerKeyLost
);

/** Only a holder of a key of the family who creates keys as fast as they are deleted causes this many passes. */
const maxPasses = 20;

/**
 * Deletes a key of the audit context's company and its descendants: the keys that were created with it, or with those in turn.
 * The key itself may have been deleted before. Parents are deleted first: only an existing key can create another, so a deleted
 * key gets no new descendants. The deletion ends when at one moment no valid key belongs to the family; a further run completes
 * one that failed. If the caller's own key belongs to the family, nothing is deleted.
 */
export const deleteWithDescendants = (
  store: Store,
  auditContext: AuditContext,
  keyId: string,
): Promise<FamilyDeletion> =>
  retryingFrom<readonly string[], FamilyDeletion>(
    [],
    { to: `delete key ${keyId} and its descendants`, atMost: maxPasses },
    async (deletedBefore) => {
      const { family, isWhole } = await readKeyFamily(store, auditContext, keyId);
      if (isWhole && family.length === 0)
        return { outcome: deletedBefore.length > 0 ? 'deleted' : 'api-key-not-found', deleted: deletedBefore };
      if (family.some((key) => key.keyId === auditContext.actorKey?.keyId))
        return { outcome: 'api-key-in-use', deleted: deletedBefore };
      const deleted = [...deletedBefore];
      for (const member of family) {
        const { outcome } = await deleteApiKey(store, auditContext, member.keyId);
        if (outcome === 'api-key-invalid' || outcome === 'api-key-expired') return { outcome, deleted };
        if (outcome === 'deleted') deleted.push(member.keyId);
      }
      return again(deleted);
    },
  );

export type KeyFamily = {
  /** The key, if it exists, and its existing descendants, each after its creator. */
  readonly family: readonly StoredApiKey[];
  /** Whether `family` contains all keys of the family that were valid at one moment. */
  readonly isWhole: boolean;
};

/** Finds the family of a key from the records of existing keys and the tombstones of deleted ones. */
export const readKeyFamily = async (
  store: Store,
  { companyId, nowMs }: Pick<AuditContext, 'companyId' | 'nowMs'>,
  keyId: string,
): Promise<KeyFamily> => {
  // The valid keys are read first: each has a record or a tombstone by the time that those are read.
  const validIds = await readSlotHolders(store, companyId, nowMs);
  const keys = await readAllApiKeys(store, companyId);
  const creatorOf = await readCreators(store, companyId, keys, validIds);
  /** The number of creations between the key and this one; infinite for a key outside of the family. */
  const distanceTo = (id: string): number => {
    let distance = 0;
    for (let at: string | null = id; at !== keyId; at = creatorOf.get(at) ?? null, distance++)
      if (at === null) return Number.POSITIVE_INFINITY;
    return distance;
  };
  const isOfFamily = (id: string) => Number.isFinite(distanceTo(id));
  const family = keys.filter((key) => isOfFamily(key.keyId));
  return {
    family: family.sort((one, other) => distanceTo(one.keyId) - distanceTo(other.keyId)),
    isWhole: validIds.filter(isOfFamily).every((id) => family.some((key) => key.keyId === id)),
  };
};

/**
 * Returns the creators of these keys and of their ancestors, by key id; null if the operator created the key, or it is not
 * known.
 */
const readCreators = async (
  store: Store,
  companyId: string,
  keys: readonly StoredApiKey[],
  otherIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> => {
  const creatorOf = new Map(keys.map(({ keyId, createdByKeyId }) => [keyId, createdByKeyId]));
  for (;;) {
    const named = new Set([...otherIds, ...creatorOf.values()]);
    const unknown = [...named].filter((id) => id !== null && !creatorOf.has(id)) as string[];
    if (unknown.length === 0) return creatorOf;
    const tombstones = await readKeyTombstones(store, companyId, unknown);
    for (const id of unknown) creatorOf.set(id, tombstones.get(id)?.createdByKeyId ?? null);
  }
};
