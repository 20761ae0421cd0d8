import * as z from 'zod/mini';
import { timestamp } from '../schemas/common.ts';
import { applianceFunctions, blockDescriptions } from '../schemas/gateway.ts';
import type { ProblemDefinition, ProblemDocs } from './definition.ts';

/** Refusals because of the appliance, or of what it has. */
export const applianceProblems = {
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
  'precondition-failed': {
    status: 412,
    title: 'The resource has changed since you read it',
    detail: 'Nothing was changed. Read the resource again, and send the change with its current ETag in If-Match.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export const applianceProblemDocs = (): ProblemDocs<typeof applianceProblems> => ({
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
  'precondition-failed': {
    cause:
      'Somebody has requested another change since you read the version in `If-Match`. It may have been you, with a request whose answer was lost.',
    provokedBy: String.raw`as acme --request PATCH "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc1" --header 'if-match: "0"' \
  --header 'content-type: application/json' --data '{ "operationMode": "off" }'`,
  },
});
