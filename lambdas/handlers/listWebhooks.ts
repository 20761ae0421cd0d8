import { pageAnswer, pageStart } from '../answers/page.ts';
import { webhookBody } from '../answers/webhook.ts';
import { Problem } from '../api/problem.ts';
import { serve } from '../chain/serve.ts';
import { listWebhooks } from '../data/webhooks/webhooks.ts';

export const handler = serve('listWebhooks', async (call) => {
  const { store, key, query, nowMs } = call;
  const start = pageStart(call);
  if (start instanceof Problem) return start;
  const { webhooks, next } = await listWebhooks(store, key.companyId, query.limit, start);
  const items = webhooks.map((each) => webhookBody(each, nowMs));
  return pageAnswer(call, items, next);
});
