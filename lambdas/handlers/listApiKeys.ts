import { apiKeyBody } from '../answers/api-key.ts';
import { pageAnswer, pageStart } from '../answers/page.ts';
import { Problem } from '../api/problem.ts';
import { serve } from '../chain/serve.ts';
import { listApiKeys } from '../data/api-keys/api-keys.ts';

export const handler = serve('listApiKeys', async (call) => {
  const { store, key, query, nowMs } = call;
  const start = pageStart(call);
  if (start instanceof Problem) return start;
  const { keys, next } = await listApiKeys(store, key.companyId, query.limit, start);
  const items = keys.map((each) => apiKeyBody(each, key, nowMs));
  return pageAnswer(call, items, next);
});
