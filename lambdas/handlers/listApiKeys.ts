import { pageAnswer, pageStart } from '../answers/pages.ts';
import { serve } from '../chain/serve.ts';
import { listApiKeys } from '../data/api-keys/api-keys.ts';
import { isValidAt } from '../domain/api-keys/api-key.ts';
import { toTimestamp } from '../domain/time.ts';

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
