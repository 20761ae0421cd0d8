import { maxValidKeysPerCompany } from '../api/limits.ts';
import { serve } from '../chain/serve.ts';
import { readTakenSlots } from '../data/api-keys/api-keys.ts';
import { toTimestamp } from '../domain/time.ts';

export const handler = serve('getOwnApiKey', async ({ store, key, sourceIp, nowMs }) => {
  const takenSlots = await readTakenSlots(store, key.companyId, nowMs);
  const lastExpiresAtMs = Math.max(key.expiresAtMs, ...takenSlots.map(({ expiresAtMs }) => expiresAtMs));
  return {
    body: {
      companyId: key.companyId,
      keyId: key.keyId,
      createdAt: toTimestamp(key.createdAtMs),
      expiresAt: toTimestamp(key.expiresAtMs),
      sourceIp,
      validKeys: takenSlots.length,
      maxValidKeys: maxValidKeysPerCompany,
      lastValidKeyExpiresAt: toTimestamp(lastExpiresAtMs),
    },
  };
});
