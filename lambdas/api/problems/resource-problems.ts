import * as z from 'zod/mini';
import { feedDays, maxWebhookHosts, maxWebhooksPerCompany, webhookCodeHours } from '../limits.ts';
import { cursor, hostName, id, timestamp } from '../schemas/common.ts';
import { applianceFunctions, blockDescriptions, featureName } from '../schemas/gateway.ts';
import type { ProblemDefinition, ProblemDocs } from './definition.ts';

/** Refusals because of the appliance or its parts. */
export const applianceProblems = {
  'gateway-not-found': {
    status: 404,
    title: 'The gateway is not there',
    detail: 'The gateway is not described yet. Try again when `GET /hvacs` lists it.',
  },
  'circuit-not-found': {
    status: 404,
    title: 'The circuit does not exist',
    detail: 'The gateway has no circuit of this kind with this circuitId. The list of its circuits shows the ids.',
  },
  'time-program-not-found': {
    status: 404,
    title: 'The time program does not exist',
    detail: 'The circuit has no time program with this timeProgramId. The list of its time programs shows the ids.',
  },
  'appliance-function-blocked': {
    status: 409,
    title: 'The appliance blocks this function to protect itself',
    detail: 'Nothing was changed. Wait until `blockedUntil`. If it is null, read the gateway again later.',
    members: () => ({
      function: z.enum(applianceFunctions),
      blockedSince: timestamp(),
      blockedUntil: z.nullable(timestamp()),
    }),
    ownHeaders: { 'Retry-After': 'where known' },
  },
  'not-supported': {
    status: 409,
    title: 'The appliance cannot do this',
    detail: 'Nothing was changed. `features` of the gateway lists what its appliance can do.',
    members: () => ({ feature: featureName() }),
  },
  'precondition-failed': {
    status: 412,
    title: 'The resource has changed since you read it',
    detail: 'Nothing was changed. Read the resource again, and send the change with its current ETag in If-Match.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export const applianceProblemDocs = (): ProblemDocs<typeof applianceProblems> => ({
  'gateway-not-found': {
    cause:
      'The contract covers the gateway, but no appliance is connected with it: it has not been described yet, or it was removed; `detail` says which. `GET /hvacs` leaves it out. The service remembers for 60 days that a gateway was removed; after that it counts as not described yet.',
    onlyCausedBy: 'the gateway backend, or the owner who grants a gateway before it is installed,',
  },
  'circuit-not-found': {
    cause: 'The gateway is yours but has no circuit with this id. Heating and hot water have separate circuits.',
    provokedBy: 'as acme "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc9"',
  },
  'time-program-not-found': {
    cause: 'The circuit exists but has no time program with this id.',
    provokedBy: 'as acme "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc1/timePrograms/9"',
  },
  'appliance-function-blocked': {
    cause:
      'The appliance protects itself, for example after a fault or during maintenance. This is not a limit of the API.',
    provokedBy: String.raw`THIRD_GATEWAY="$BASE_URL/hvacs/$(demo 'acme.gateways[2].gatewayId')"
as acme --request PUT "$THIRD_GATEWAY/heatingCircuits/hc1/timePrograms/1" \
  --header 'content-type: application/json' --data '{ "name": "None", "switchPoints": [] }'`,
    example: {
      function: 'heatingTimePrograms',
      blockedSince: '2026-11-20T16:00:00Z',
      blockedUntil: '2026-11-20T17:00:00Z',
    },
    members: blockDescriptions(),
  },
  'not-supported': {
    cause:
      'The appliance, or its gateway, does not know what the request asks for, or has not yet reported its first holiday. An update of it may change that: read `features` of the gateway again.',
    provokedBy: String.raw`THIRD_GATEWAY="$BASE_URL/hvacs/$(demo 'acme.gateways[2].gatewayId')"
as acme --request PUT "$THIRD_GATEWAY/heatingCircuits/hc1/override" \
  --header 'content-type: application/json' --data '{ "roomSetpointCelsius": 23, "until": "next-switch-point" }'`,
    example: { feature: 'heatingOverrides' },
    members: { feature: 'What the appliance lacks, as `features` of a gateway would name it.' },
  },
  'precondition-failed': {
    cause:
      'Somebody has requested another change since you read the version in `If-Match`. It may have been you, with a request whose answer was lost.',
    provokedBy: String.raw`as acme --request PATCH "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc1" --header 'if-match: "0"' \
  --header 'content-type: application/json' --data '{ "operationMode": "off" }'`,
  },
});

/** Refusals that concern the feed of events. */
export const feedProblems = {
  'cursor-expired': {
    status: 410,
    title: 'Events after the cursor are kept no longer',
    detail: 'Read the state of what you mirror anew, then go on after `oldestCursor`.',
    members: () => ({ oldestCursor: cursor() }),
  },
} as const satisfies Record<string, ProblemDefinition>;

export const feedProblemDocs = (): ProblemDocs<typeof feedProblems> => ({
  'cursor-expired': {
    cause: `You have not read the feed for longer than events are kept, ${feedDays} days, or the operator had to begin a new feed. You may have missed events.`,
    provokedBy: `OLD_CURSOR=$(as acme "$BASE_URL/events?after=latest" | json nextCursor)
npm run demo -- cursors-expire acme
as acme "$BASE_URL/events?after=$OLD_CURSOR"`,
    example: { oldestCursor: 'M2ZhOTBiMS5xOHYyWHJUbi4w' },
    members: { oldestCursor: 'The cursor that stands before the oldest event that is kept.' },
  },
});

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
  'webhook-exists': {
    status: 409,
    title: 'The URL has a webhook already',
    detail: 'Use the webhook `webhookId`: `POST /webhooks/{webhookId}/secret` gives it a new secret.',
    members: () => ({ webhookId: id() }),
  },
  'webhook-limit-reached': {
    status: 409,
    title: 'The company has the highest allowed number of webhooks',
    detail: 'Delete a webhook that you no longer need, then create the new one. GET /webhooks lists your webhooks.',
  },
  'webhook-code-mismatch': {
    status: 409,
    title: 'The code is not the one that the webhook waits for',
    detail:
      'Send the code of the last webhook.verify message. To get a message with a new code, send null in its place.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export const webhookProblemDocs = (): ProblemDocs<typeof webhookProblems> => ({
  'webhook-host-not-registered': {
    cause:
      'Messages go only to hosts that the operator has registered for your company, like your addresses. So nobody who has your key can make the service send requests elsewhere.',
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
  'webhook-exists': {
    cause:
      'Your company has created a webhook for this URL before: perhaps by an attempt whose answer was lost, or by a program that creates it at each start. The state of the webhook does not matter.',
    provokedBy: String.raw`for each in 1 2; do
  as acme --request POST "$BASE_URL/webhooks" --header 'content-type: application/json' \
    --data '{ "url": "https://hooks.acme.example/twice" }'; sleep 0.3
done`,
    example: { webhookId: 'wh_6mQ2cX0yVb9TzL4pRk7WsE' },
    members: { webhookId: 'The webhook that your company has for this URL.' },
  },
  'webhook-limit-reached': {
    cause: `Your company has ${maxWebhooksPerCompany} webhooks already. A webhook counts until it is deleted, also one that is unverified or disabled.`,
    provokedBy: String.raw`for each in 1 2 3 4; do
  as globex --request POST "$BASE_URL/webhooks" --header 'content-type: application/json' \
    --data "{ \"url\": \"https://hooks.globex.example/$each\" }"; sleep 0.3
done`,
  },
  'webhook-code-mismatch': {
    cause: `The code is wrong or older than ${webhookCodeHours} hours, or a newer one was asked for. After a webhook was disabled, only a new code enables it.`,
    provokedBy: String.raw`WEBHOOK_ID=$(as acme --request POST "$BASE_URL/webhooks" --header 'content-type: application/json' \
  --data '{ "url": "https://hooks.acme.example/guessed" }' | json webhookId)
as acme --request POST "$BASE_URL/webhooks/$WEBHOOK_ID/verification" --header 'content-type: application/json' \
  --data '{ "code": "guessed" }'`,
  },
});
