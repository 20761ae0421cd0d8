import { maxValidKeysPerCompany } from '../api/limits.ts';
import { Problem } from '../api/problem.ts';
import { apiStage } from '../api/version.ts';
import { serve } from '../chain/serve.ts';
import { createApiKey } from '../data/api-keys/api-key-creation.ts';
import { createApiKeyOnce } from '../data/api-keys/idempotent-creation.ts';
import { toTimestamp } from '../domain/time.ts';

export const handler = serve('createApiKey', async ({ store, auditContext, presentedKey, idempotencyKey }) => {
  const creation =
    idempotencyKey === undefined
      ? await createApiKey(store, auditContext)
      : await createApiKeyOnce(store, auditContext, presentedKey, idempotencyKey);
  if (creation.outcome === 'api-key-limit-reached')
    throw new Problem(creation.outcome, {
      validKeys: creation.takenSlots.map(({ keyId, expiresAtMs }) => ({ keyId, expiresAt: toTimestamp(expiresAtMs) })),
      maxValidKeys: maxValidKeysPerCompany,
    });
  if (creation.outcome !== 'created') throw new Problem(creation.outcome);

  const { apiKey, keyId, createdAtMs, expiresAtMs } = creation.key;
  return {
    headers: { Location: `/${apiStage}/api-keys/${keyId}` },
    body: { keyId, apiKey, createdAt: toTimestamp(createdAtMs), expiresAt: toTimestamp(expiresAtMs) },
  };
});
