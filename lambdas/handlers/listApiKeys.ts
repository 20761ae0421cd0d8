import { listApiKeys } from '../data/api-keys.ts';
import { isValidAt } from '../domain/api-key.ts';
import { toTimestamp } from '../domain/time.ts';
import { serve } from '../middleware/serve.ts';
import { pageAnswer, pageStart } from '../operations/pages.ts';

export const handler = serve('listApiKeys', async (call) => {
  const { store, key, query, nowMs } = call;
  const { keys, next } = await listApiKeys(store, key.companyId, query.limit, pageStart(call));
  const items = keys.map((each) => ({
    keyId: each.keyId,
    createdAt: toTimestamp(each.createdAtMs),
    createdByKeyId: each.createdByKeyId,
    expiresAt: toTimestamp(each.expiresAtMs),
    state: isValidAt(each, nowMs) ? ('valid' as const) : ('expired' as const),
    lastUsedOn: each.lastUsedOn,
    inUse: each.keyId === key.keyId,
  }));
  return pageAnswer(call, items, next);
});
