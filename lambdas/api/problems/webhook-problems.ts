import * as z from 'zod/mini';
import { maxWebhookHosts, maxWebhooksPerCompany, webhookCodeHours } from '../limits.ts';
import { hostName } from '../schemas/values.ts';
import type { ProblemDefinition, ProblemDocs } from './definition.ts';

/** Refusals of operations on webhooks. */
export const webhookProblems = {
  'webhook-host-not-registered': {
    status: 403,
    title: 'The host of the URL is not registered for the company',
    detail: 'Use a host of `registeredHosts` or one below it, or ask the operator to register this one.',
    members: () => ({ registeredHosts: z.array(hostName()).check(z.maxLength(maxWebhookHosts)) }),
  },
  'webhook-not-found': {
    status: 404,
    title: 'The webhook does not exist',
    detail: 'Your company has no webhook with this webhookId. GET /webhooks lists your webhooks.',
  },
  'webhook-limit-reached': {
    status: 409,
    title: 'The company has the highest allowed number of webhooks',
    detail: 'Delete a webhook that you no longer need, then create the new one. GET /webhooks lists your webhooks.',
  },
  'webhook-code-mismatch': {
    status: 409,
    title: 'The code is not the one that the webhook waits for',
    detail: 'Send the code of the last webhook.verify poke. To get a poke with a new code, send null in its place.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export const webhookProblemDocs = (): ProblemDocs<typeof webhookProblems> => ({
  'webhook-host-not-registered': {
    cause:
      'Pokes go to hosts only that the operator has registered for your company, as it has your addresses. So nobody who has your key can let the service send requests elsewhere.',
    provokedBy: String.raw`as acme --request POST "$BASE_URL/webhooks" --header 'content-type: application/json' \
  --data '{ "url": "https://hooks.elsewhere.example/heating" }'`,
    example: { registeredHosts: ['acme.example'] },
    members: {
      registeredHosts: 'The hosts that are registered for your company. Each stands for those below it, too.',
    },
  },
  'webhook-not-found': {
    cause: 'The webhook was deleted before, perhaps by an earlier attempt of yours, or the id is wrong.',
    provokedBy: 'as acme --request DELETE "$BASE_URL/webhooks/nobodys-webhook"',
  },
  'webhook-limit-reached': {
    cause: `Your company has ${maxWebhooksPerCompany} webhooks already. A webhook counts until it is deleted, also one that is unverified or disabled.`,
    provokedBy: String.raw`for each in 1 2 3 4; do
  as globex --request POST "$BASE_URL/webhooks" --header 'content-type: application/json' \
    --data '{ "url": "https://hooks.globex.example/heating" }'; sleep 0.3
done`,
  },
  'webhook-code-mismatch': {
    cause: `The code is wrong or older than ${webhookCodeHours} hours, or a newer one was asked for. After a webhook was disabled, only a new code enables it.`,
    provokedBy: String.raw`WEBHOOK_ID=$(as acme --request POST "$BASE_URL/webhooks" --header 'content-type: application/json' \
  --data '{ "url": "https://hooks.acme.example/heating" }' | json webhookId)
as acme --request POST "$BASE_URL/webhooks/$WEBHOOK_ID/verification" --header 'content-type: application/json' \
  --data '{ "code": "guessed" }'`,
  },
});
