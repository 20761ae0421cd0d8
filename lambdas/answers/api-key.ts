import { maxValidKeysPerCompany } from '../api/limits.ts';
import type { Slot } from '../data/api-keys/api-keys.ts';
import { type ApiKeyRecord, isValidAt, type NewKey } from '../domain/api-keys/api-key.ts';
import { toTimestamp } from '../domain/time.ts';

/** The only body that ever shows the text of a key. */
export const createdApiKeyBody = ({ keyId, apiKey, createdAtMs, expiresAtMs }: NewKey) => ({
  keyId,
  apiKey,
  createdAt: toTimestamp(createdAtMs),
  expiresAt: toTimestamp(expiresAtMs),
});

/** A key as its company sees it; `keyInUse` is the one that authenticates the request. */
export const apiKeyBody = (key: ApiKeyRecord, keyInUse: ApiKeyRecord, nowMs: number) => ({
  keyId: key.keyId,
  createdAt: toTimestamp(key.createdAtMs),
  createdByKeyId: key.createdByKeyId,
  expiresAt: toTimestamp(key.expiresAtMs),
  state: isValidAt(key, nowMs) ? ('valid' as const) : ('expired' as const),
  lastUsedOn: key.lastUsedOn,
  inUse: key.keyId === keyInUse.keyId,
});

/** The key in use, and what is left of its kind: `takenSlots` are those of all valid keys of the company. */
export const ownApiKeyBody = (key: ApiKeyRecord, sourceIp: string, takenSlots: readonly Slot[]) => ({
  companyId: key.companyId,
  keyId: key.keyId,
  createdAt: toTimestamp(key.createdAtMs),
  expiresAt: toTimestamp(key.expiresAtMs),
  sourceIp,
  validKeys: takenSlots.length,
  maxValidKeys: maxValidKeysPerCompany,
  lastValidKeyExpiresAt: toTimestamp(Math.max(key.expiresAtMs, ...takenSlots.map(({ expiresAtMs }) => expiresAtMs))),
});

/** What a refused creation says of the keys that there are. */
export const keyLimitMembers = (takenSlots: readonly Slot[]) => ({
  validKeys: takenSlots.map(({ keyId, expiresAtMs }) => ({ keyId, expiresAt: toTimestamp(expiresAtMs) })),
  maxValidKeys: maxValidKeysPerCompany,
});
