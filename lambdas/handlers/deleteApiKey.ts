import { Problem } from '../api/problem.ts';
import { deleteApiKey } from '../data/api-key-deletion.ts';
import { serve } from '../middleware/serve.ts';

export const handler = serve('deleteApiKey', async ({ store, act, key, pathIds: { keyId } }) => {
  if (keyId === key.keyId) throw new Problem('api-key-in-use');

  const deletion = await deleteApiKey(store, act, keyId);
  if (deletion.outcome !== 'deleted') throw new Problem(deletion.outcome);
  return { body: undefined };
});
