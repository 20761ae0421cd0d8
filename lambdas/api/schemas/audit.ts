import * as z from 'zod/mini';
import { auditDays } from '../limits.ts';
import { keyLabel } from './api-key.ts';
import { type Documentation, id, matching, requestId, timestamp } from './common.ts';

const values = () => z.nullable(z.record(matching(/^\w+$/, 64), z.unknown()));

/** A change that a company made, or that the operator made to the configuration of the company. */
export const auditEntry = () =>
  z.looseObject({
    at: timestamp(),
    operation: matching(/^[A-Za-z]+( [a-z-]+)*$/, 64),
    actor: z.enum(['key', 'operator']),
    actorKeyId: z.nullable(id()),
    actorKeyLabel: z.nullable(keyLabel()),
    requestId: requestId(),
    userId: z.optional(id()),
    gatewayId: z.optional(id()),
    resource: z.nullable(matching(/^\/[\w./-]*$/, 512)),
    before: values(),
    after: values(),
    withheld: z.boolean(),
  });

export const auditEntryDocs = (): Documentation<typeof auditEntry> => ({
  example: {
    at: '2026-11-25T10:15:00Z',
    operation: 'updateHeatingCircuit',
    actor: 'key',
    actorKeyId: 'f3QnT7wLx0RkVb2Z',
    actorKeyLabel: 'Gateway of the north',
    requestId: 'ZuT4rGDNoAMFxXw=',
    userId: 'owner-4711',
    gatewayId: 'gw-1001',
    resource: '/hvacs/gw-1001/heatingCircuits/hc1',
    before: { roomSetpointCelsius: 21 },
    after: { roomSetpointCelsius: 22.5 },
    withheld: false,
  },
  properties: {
    at: `The time of the change, UTC. Changes are listed for ${auditDays} days.`,
    operation:
      'The `operationId` of the operation; `createApiKey repeat` if a retry of a creation returned the same key again. For a change by the operator, the name of the action of the operator, such as `company suspend`.',
    actor:
      'Who made the change: `key` for a request with a key of the company, `operator` for the operator of the service.',
    actorKeyId: 'The id of the key that made the change; null for a change by the operator.',
    actorKeyLabel: `The name of the key that made the change; null if it has none or was deleted, or for a change by the operator.`,
    requestId:
      'The `x-request-id` of the request. For a change by the operator, an id with which the operator can find the change.',
    userId:
      'The owner whom the change concerns; absent if it concerns no owner, or if the data of the owner was erased.',
    gatewayId:
      'The gateway that the change concerns; absent if it concerns no gateway, or if the data of the owner was erased.',
    resource:
      'The path of the resource that was changed; null if it is the company itself, or if the data of the owner was erased.',
    before: {
      description:
        'The values that the change replaced, by property; null if there were none, or if they are withheld. For a deleted key, its options.',
      properties: {},
    },
    after: {
      description:
        'The values after the change, by property; null if there were none, or if they are withheld. For a change of an appliance, the requested values.',
      properties: {},
    },
    withheld:
      'Whether values are not shown, because the contract, the consent or the gateway no longer exists or is newer than the change. The values of a home are visible for as long as its events.',
  },
});
