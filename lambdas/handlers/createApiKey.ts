import { createdApiKeyBody, keyLimitMembers } from '../answers/api-key.ts';
import { Problem } from '../api/problem.ts';
import { apiStage } from '../api/version.ts';
import { serve } from '../chain/serve.ts';
import { createApiKey } from '../data/api-keys/api-key-creation.ts';
import { createApiKeyOnce } from '../data/api-keys/idempotent-creation.ts';

export const handler = serve('createApiKey', async ({ store, auditContext, presentedKey, idempotencyKey }) => {
  const creation =
    idempotencyKey === undefined
      ? await createApiKey(store, auditContext)
      : await createApiKeyOnce(store, auditContext, presentedKey, idempotencyKey);
  if (creation.outcome === 'api-key-limit-reached')
    return new Problem(creation.outcome, keyLimitMembers(creation.takenSlots));
  if (creation.outcome !== 'created' && creation.outcome !== 'shown-again') return new Problem(creation.outcome);

  const { key, outcome } = creation;
  return {
    headers: { Location: `/${apiStage}/api-keys/${key.keyId}` },
    body: createdApiKeyBody(key),
    isRepeat: outcome === 'shown-again',
  };
});
