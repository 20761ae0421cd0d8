import { maxValidKeysPerCompany } from '../api/limits.ts';
import { invalidRequest } from '../api/problems.ts';
import { pointerTo } from '../api/schemas/common.ts';
import type { Slot } from '../data/api-keys/api-keys.ts';
import { isValidAt, type KeyOptions, type NewKey, type StoredApiKey } from '../domain/api-key.ts';
import { type Company, isCidrWithin } from '../domain/company.ts';
import { firstLastKey } from '../domain/key-notices.ts';
import { toTimestamp } from '../domain/time.ts';

/** The only body that contains the text of a key. */
export const createdApiKeyBody = ({ keyId, apiKey, createdAtMs, expiresAtMs }: NewKey, options: KeyOptions) => ({
  keyId,
  apiKey,
  createdAt: toTimestamp(createdAtMs),
  expiresAt: toTimestamp(expiresAtMs),
  ...optionsBody(options),
});

const optionsBody = ({ access, allowedCidrs, label }: KeyOptions) => ({
  access,
  allowedCidrs: allowedCidrs && [...allowedCidrs],
  label,
});

/** Returns a key as its company sees it; `keyInUse` is the key that authenticates the request. */
export const apiKeyBody = (key: StoredApiKey, keyInUse: StoredApiKey, nowMs: number) => ({
  keyId: key.keyId,
  createdByKeyId: key.createdByKeyId,
  state: isValidAt(key, nowMs) ? ('valid' as const) : ('expired' as const),
  createdAt: toTimestamp(key.createdAtMs),
  expiresAt: toTimestamp(key.expiresAtMs),
  lastUsedOn: key.lastUsedOn,
  inUse: key.keyId === keyInUse.keyId,
  ...optionsBody(key),
});

/**
 * Returns the key in use and the company's number of valid keys; `takenSlots` are the slots of all valid keys of the
 * company.
 */
export const ownApiKeyBody = (
  key: StoredApiKey,
  sourceIp: string,
  takenSlots: readonly Slot[],
  { allowedCidrs: registered }: Pick<Company, 'allowedCidrs'>,
) => ({
  companyId: key.companyId,
  keyId: key.keyId,
  createdAt: toTimestamp(key.createdAtMs),
  expiresAt: toTimestamp(key.expiresAtMs),
  sourceIp,
  validKeys: takenSlots.length,
  maxValidKeys: maxValidKeysPerCompany,
  lastValidKeyExpiresAt: toTimestamp((firstLastKey([...takenSlots, key], registered) ?? key).expiresAtMs),
  ...optionsBody(key),
});

/** Returns what a row of KeyNotices says about its key. */
export const keyNoticeBody = ({
  keyId,
  expiresAt,
  remaining,
  isLastKey,
  access,
  label,
}: Readonly<Record<string, unknown>>) => ({ keyId, expiresAt, remaining, isLastKey, access, label });

/** Returns the members of a refused creation that list the company's valid keys. */
export const keyLimitMembers = (takenSlots: readonly Slot[]) => ({
  validKeys: takenSlots.map(({ keyId, expiresAtMs, access, label }) => ({
    keyId,
    expiresAt: toTimestamp(expiresAtMs),
    access,
    label,
  })),
  maxValidKeys: maxValidKeysPerCompany,
});

/**
 * Returns the problem of a new key's address blocks that exceed those of its company or of the key in use; undefined if all
 * are within.
 */
export const cidrsProblem = (
  cidrs: readonly string[],
  { allowedCidrs: registered }: Pick<Company, 'allowedCidrs'>,
  { allowedCidrs: ofKey }: Pick<KeyOptions, 'allowedCidrs'>,
) => {
  const bounds = [
    { whose: 'registered for your company', blocks: registered },
    ...(ofKey ? [{ whose: 'of the key in use', blocks: ofKey }] : []),
  ];
  const faults = cidrs.flatMap((cidr, index) => {
    const exceeded = bounds.find(({ blocks }) => !isCidrWithin(cidr, blocks));
    if (!exceeded) return [];
    const detail = `Expected a block of addresses (address/prefix length) within one of those ${exceeded.whose}: ${exceeded.blocks.join(', ')}.`;
    return [{ pointer: pointerTo('body', 'allowedCidrs', index), detail }];
  });
  return faults.length > 0 ? invalidRequest(faults) : undefined;
};

/** Returns the problem of a creation whose `Idempotency-Key` was used for a different creation. */
export const reusedValueProblem = ({ access, allowedCidrs, label }: KeyOptions) => {
  const asked = JSON.stringify({ access, allowedCidrs, label });
  const detail = `Expected a value that is new, or the request that it came with first: that created a key with ${asked}.`;
  return invalidRequest([{ pointer: pointerTo('header', 'Idempotency-Key'), detail }]);
};
