import { Problem } from '../api/problem.ts';
import { serve } from '../chain/serve.ts';
import { deleteApiKey } from '../data/api-keys/api-key-deletion.ts';

export const handler = serve('deleteApiKey', async ({ store, auditContext, key, pathIds: { keyId } }) => {
  if (keyId === key.keyId) throw new Problem('api-key-in-use');

  const deletion = await deleteApiKey(store, auditContext, keyId);
  if (deletion.outcome !== 'deleted') throw new Problem(deletion.outcome);
  return { body: undefined };
});
