import type { StoredApiKey } from '../../domain/api-key.ts';
import { type AuditContext, readKeyTombstones } from '../audit.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { deleteApiKey } from './api-key-deletion.ts';
import { type CallerKeyLost, readAllApiKeys, readSlotHolders } from './api-keys.ts';

/** The keys that were deleted, in that order; of a refusal those that were deleted before it. */
export type FamilyDeletion = { readonly deleted: readonly string[] } & (
  | { readonly outcome: 'deleted' | 'api-key-not-found' | 'api-key-in-use' }
  | CallerKeyLost
);

/** Only somebody who holds a key of the family, and creates as fast as it is deleted, takes so many. */
const maxPasses = 20;

/**
 * Deletes a key of the act's company and all that were created with it, or with those in turn, whether it is there itself or was
 * deleted before. Parents go first: whoever creates holds a key that is there, so nobody creates from one that is gone. It ends
 * when at one moment no valid key is of the family; what it leaves undone the next run does. It deletes nothing if the caller's
 * own key is of the family. Throws StoreUnavailableError.
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
  /** The key, if it is there, and its descendants, each behind the one that created it. */
  readonly family: readonly StoredApiKey[];
  /** Whether no key of the family but these was valid at one moment. */
  readonly isWhole: boolean;
};

/** Finds the family of a key, by the records of the keys that are there and the tombstones of those that were deleted. */
export const readKeyFamily = async (
  store: Store,
  { companyId, nowMs }: Pick<AuditContext, 'companyId' | 'nowMs'>,
  keyId: string,
): Promise<KeyFamily> => {
  // The moment comes first: whoever was valid then has a record or a tombstone by the time that these are read.
  const validIds = await readSlotHolders(store, companyId, nowMs);
  const keys = await readAllApiKeys(store, companyId);
  const creatorOf = await readCreators(store, companyId, keys, validIds);
  /** How many creations lie between the key and this one; infinite for a stranger. */
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

/** Who created each key, and each that created one of them, by their ids; null for those of the operator. */
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
