import * as z from 'zod';
import { keyAccesses } from '../../lambdas/api/schemas/api-key.ts';
import { readAllApiKeys, type Slot } from '../../lambdas/data/api-keys/api-keys.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { isValidAt, type StoredApiKey } from '../../lambdas/domain/api-key.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';

/** A key as the output shows it, without its hash. */
export const presentedKey = z.strictObject({
  keyId: z.string(),
  state: z.literal(['valid', 'expired']),
  createdAt: z.iso.datetime(),
  /** Null if an operator issued it. */
  createdByKeyId: z.string().nullable(),
  expiresAt: z.iso.datetime(),
  daysLeft: z.int(),
  lastUsedOn: z.iso.date().nullable(),
  access: z.literal(keyAccesses),
  allowedCidrs: z.array(z.string()).nullable(),
  label: z.string().nullable(),
});

export type PresentedKey = z.output<typeof presentedKey>;

export const presentKey = (key: StoredApiKey, nowMs: number): PresentedKey => ({
  keyId: key.keyId,
  state: isValidAt(key, nowMs) ? 'valid' : 'expired',
  createdAt: toTimestamp(key.createdAtMs),
  createdByKeyId: key.createdByKeyId,
  expiresAt: toTimestamp(key.expiresAtMs),
  daysLeft: daysLeft(key.expiresAtMs, nowMs),
  lastUsedOn: key.lastUsedOn,
  access: key.access,
  allowedCidrs: key.allowedCidrs && [...key.allowedCidrs],
  label: key.label,
});

export const keyRow = ({ keyId, expiresAt, daysLeft: days, createdByKeyId, ...key }: PresentedKey) => ({
  key: keyId,
  label: key.label,
  access: key.access,
  state: key.state,
  'expires at': expiresAt,
  'days left': days,
  'last used on': key.lastUsedOn,
  'created by': createdByKeyId ?? 'operator',
  'works from': key.allowedCidrs?.join(' ') ?? 'all registered',
});

/** Lists keys for use in a sentence. */
export const keysInWords = (keys: readonly Pick<Slot, 'keyId' | 'label'>[]): string =>
  keys.map(({ keyId, label }) => (label === null ? `key ${keyId}` : `key ${keyId} (${label})`)).join(', ');

/** Reads all keys of a company, sorted by expiry, the latest first. */
export const readAllKeys = async (store: Store, companyId: string): Promise<StoredApiKey[]> => {
  const all = await readAllApiKeys(store, companyId);
  return all.sort((one, other) => other.expiresAtMs - one.expiresAtMs);
};

export const dayMs = 24 * 60 * 60 * 1000;

/** Whole days until a time; 0 on the last day and after it. */
export const daysLeft = (untilMs: number, nowMs: number): number => Math.max(0, Math.floor((untilMs - nowMs) / dayMs));
