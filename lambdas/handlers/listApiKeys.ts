import { Problem } from '../api/problem.ts';
import { listApiKeys } from '../data/api-keys.ts';
import { isValidAt } from '../domain/api-key.ts';
import { bucketIdOf } from '../domain/counter.ts';
import { decodeCursor, encodeCursor } from '../domain/cursor.ts';
import { toTimestamp } from '../domain/time.ts';
import { serve } from '../middleware/serve.ts';

export const handler = serve('listApiKeys', async ({ store, key, counter, query, nowMs }) => {
  const scope = bucketIdOf(counter);
  const after = query.cursor === undefined ? undefined : decodeCursor(scope, query.cursor);
  if (query.cursor !== undefined && after === undefined)
    throw new Problem('invalid-request', {
      errors: [{ pointer: '/query/cursor', detail: 'Expected a nextCursor of this list, unchanged.' }],
    });

  const { keys, next } = await listApiKeys(store, key.companyId, query.limit, after);
  const items = keys.map((each) => ({
    keyId: each.keyId,
    createdAt: toTimestamp(each.createdAtMs),
    createdByKeyId: each.createdByKeyId,
    expiresAt: toTimestamp(each.expiresAtMs),
    state: isValidAt(each, nowMs) ? ('valid' as const) : ('expired' as const),
    lastUsedOn: each.lastUsedOn,
    inUse: each.keyId === key.keyId,
  }));
  return { body: { items, nextCursor: next ? encodeCursor(scope, next) : null } };
});
