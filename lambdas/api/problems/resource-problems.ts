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
    detail: 'The gateway is not installed yet. Try again when `GET /hvacs` lists it.',
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
    detail:
      'Nothing was changed. `features` of the gateway lists what its appliance can do, and `limits` of a circuit the settings that it has.',
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
      'The contract covers the gateway, but the gateway is not installed yet or was removed; `detail` states which. `GET /hvacs` leaves it out. The service remembers for 60 days that a gateway was removed; after that, the gateway counts as not installed yet.',
    onlyCausedBy: 'the gateway backend, or the owner who grants a gateway before it is installed,',
  },
  'circuit-not-found': {
    cause:
      'The contract covers the gateway, but the gateway has no circuit with this id. Heating and hot water have separate circuits.',
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
      'The appliance or its gateway does not support the feature, or has not yet reported its first holiday. Or the circuit has no such setting: its value in `limits` is null. A software update may add support: read the gateway or the circuit again.',
    provokedBy: String.raw`THIRD_GATEWAY="$BASE_URL/hvacs/$(demo 'acme.gateways[2].gatewayId')"
as acme --request PUT "$THIRD_GATEWAY/heatingCircuits/hc1/override" \
  --header 'content-type: application/json' --data '{ "roomSetpointCelsius": 23, "until": "next-switch-point" }'`,
    example: { feature: 'heatingOverrides' },
    members: {
      feature:
        'The feature that the appliance lacks, as named in `features` of gateways, or the setting, as named in `limits` of circuits.',
    },
  },
  'precondition-failed': {
    cause:
      'Another change was requested since you read the version in `If-Match`. It may be your own request if its response was lost.',
    provokedBy: String.raw`as acme --request PATCH "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc1" --header 'if-match: "0"' \
  --header 'content-type: application/json' --data '{ "operationMode": "off" }'`,
  },
});

/** Refusals that concern the feed of events. */
export const feedProblems = {
  'cursor-expired': {
    status: 410,
    title: 'Events after the cursor are kept no longer',
    detail: 'Read the state of everything that you mirror again, then continue with `oldestCursor`.',
    members: () => ({ oldestCursor: cursor() }),
  },
} as const satisfies Record<string, ProblemDefinition>;

export const feedProblemDocs = (): ProblemDocs<typeof feedProblems> => ({
  'cursor-expired': {
    cause: `You have not read the feed for more than ${feedDays} days, the time for which events are kept, or the operator had to create a new feed. You may have missed events.`,
    provokedBy: `OLD_CURSOR=$(as acme "$BASE_URL/events?after=latest" | json nextCursor)
npm run demo -- cursors-expire acme
as acme "$BASE_URL/events?after=$OLD_CURSOR"`,
    example: { oldestCursor: 'M2ZhOTBiMS5xOHYyWHJUbi4w' },
    members: { oldestCursor: 'The cursor that points before the oldest event that is kept.' },
  },
});

/** Refusals of operations on webhooks. */
export const webhookProblems = {
  'webhook-host-not-registered': {
    status: 403,
    title: 'The host of the URL is not registered for the company',
    detail: 'Use a host of `registeredHosts` or a subdomain of one, or ask the operator to register this host.',
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
    detail:
      'Use the webhook `webhookId`. If you need its secret, create a new one with `POST /webhooks/{webhookId}/secret`.',
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
      'Send the code of the last webhook.verify message. To get a message with a new code, send null instead of the code.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export const webhookProblemDocs = (): ProblemDocs<typeof webhookProblems> => ({
  'webhook-host-not-registered': {
    cause:
      'The service sends messages only to hosts that the operator has registered for your company. So a thief of your key cannot make the service send requests to other hosts.',
    provokedBy: String.raw`as acme --request POST "$BASE_URL/webhooks" --header 'content-type: application/json' \
  --data '{ "url": "https://hooks.elsewhere.example/heating" }'`,
    example: { registeredHosts: ['acme.example'] },
    members: {
      registeredHosts: 'The hosts that are registered for your company. Each host includes its subdomains.',
    },
  },
  'webhook-not-found': {
    cause: 'The webhook was already deleted, perhaps by an earlier attempt of yours, or the id is wrong.',
    provokedBy: 'as acme --request DELETE "$BASE_URL/webhooks/nobodys-webhook"',
  },
  'webhook-exists': {
    cause:
      'Your company already has a webhook with this URL: perhaps the response to its creation was lost, or a program creates the webhook at each start. The state of the webhook does not matter.',
    provokedBy: String.raw`for each in 1 2; do
  as acme --request POST "$BASE_URL/webhooks" --header 'content-type: application/json' \
    --data '{ "url": "https://hooks.acme.example/twice" }'; sleep 0.3
done`,
    example: { webhookId: 'wh_6mQ2cX0yVb9TzL4pRk7WsE' },
    members: { webhookId: 'The existing webhook with this URL.' },
  },
  'webhook-limit-reached': {
    cause: `Your company already has ${maxWebhooksPerCompany} webhooks. A webhook counts until it is deleted, even if it is unverified or disabled.`,
    provokedBy: String.raw`for each in 1 2 3 4; do
  as globex --request POST "$BASE_URL/webhooks" --header 'content-type: application/json' \
    --data "{ \"url\": \"https://hooks.globex.example/$each\" }"; sleep 0.3
done`,
  },
  'webhook-code-mismatch': {
    cause: `The code is wrong or older than ${webhookCodeHours} hours, or a newer code was requested. After a webhook was disabled, only a new code enables it.`,
    provokedBy: String.raw`WEBHOOK_ID=$(as acme --request POST "$BASE_URL/webhooks" --header 'content-type: application/json' \
  --data '{ "url": "https://hooks.acme.example/guessed" }' | json webhookId)
as acme --request POST "$BASE_URL/webhooks/$WEBHOOK_ID/verification" --header 'content-type: application/json' \
  --data '{ "code": "guessed" }'`,
  },
});
