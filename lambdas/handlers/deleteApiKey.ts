import { Problem } from '../api/problem.ts';
import { serve } from '../chain/serve.ts';
import { deleteApiKey } from '../data/api-keys/api-key-deletion.ts';

export const handler = serve('deleteApiKey', async ({ store, auditContext, key, pathIds: { keyId } }) => {
  if (keyId === key.keyId) return new Problem('api-key-in-use');

  const { outcome } = await deleteApiKey(store, auditContext, keyId);
  return outcome === 'deleted' ? { body: undefined } : new Problem(outcome);
});
