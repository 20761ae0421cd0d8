import * as z from 'zod/mini';
import { changeItem, changeItemDescriptions, envelopeDescriptions } from './inbound-events/inbound-event.ts';
import {
  desiredDhwCircuit,
  desiredHeatingCircuit,
  dhwSettingDescriptions,
  heatingSettingDescriptions,
} from './schemas/circuit.ts';
import { companyId, count, id, line, requestId } from './schemas/common.ts';
import { holidayPeriodDocs, holidaySettings } from './schemas/holiday.ts';
import { heatingOverrideDescription } from './schemas/override.ts';
import { desiredTimeProgram, programContentDocs } from './schemas/time-program.ts';

export const requestedChangeType = 'partner-api.change.requested.v1';

/**
 * The desired state of an item: all that its requested changes still desire, so that an older version can be skipped, and after
 * a drop the reported values of what was dropped. It is empty if nothing of that was ever reported.
 */
const desired = () =>
  z.union([
    desiredHeatingCircuit(),
    desiredDhwCircuit(),
    desiredTimeProgram('heating'),
    desiredTimeProgram('dhw'),
    z.strictObject(holidaySettings()),
  ]);

/** Returns the schema of the event that informs the gateway backend of a change requested by a partner. */
export const requestedChange = () =>
  z.object({
    specversion: z.literal('1.0'),
    id: id(),
    source: z.literal('partner-api'),
    type: z.literal(requestedChangeType),
    subject: id(),
    time: z.iso.datetime({ precision: 3 }),
    data: z.object({
      item: changeItem(),
      version: count(),
      desired: desired(),
      validUntil: z.optional(z.record(line(1, 80, 'Expected the name of a property.'), z.iso.datetime())),
      companyId: z.optional(companyId()),
      requestId: z.optional(requestId()),
    }),
  });

export type RequestedChangeEvent = z.output<ReturnType<typeof requestedChange>>;

export const requestedChangeDocs = () => ({
  summary: 'A partner requested a change of a circuit, a time program or a holiday.',
  example: {
    specversion: '1.0',
    id: 'q5Xl0k3T8mYb2nFvR7wJpA9cZdEsHuGi4oNtMxLBaSk',
    source: 'partner-api',
    type: requestedChangeType,
    subject: 'gw-1001',
    time: '2026-11-21T10:15:58.310Z',
    data: {
      item: { kind: 'circuit', family: 'heating', circuitId: 'hc1' },
      version: 2,
      desired: { roomSetpointCelsius: 21.5 },
      validUntil: { roomSetpointCelsius: '2026-11-21T22:00:00Z' },
      companyId: 'acme',
      requestId: 'ZqX8fH2JliAEJ1Q=',
    },
  } satisfies RequestedChangeEvent,
  properties: {
    ...envelopeDescriptions(),
    id: 'The id of the event, which is the same for each delivery of the same version of the same item.',
    source: 'This service.',
    subject: 'The id of the gateway, which is also the message group.',
    time: 'When the change was requested, or when something of it was dropped.',
    data: {
      description: 'The change.',
      properties: {
        item: { description: 'The item that the change is for.', properties: changeItemDescriptions() },
        version:
          'The version of the item with this change. Apply the change only if no higher version of the item was applied.',
        desired: {
          description:
            'The desired settings of the circuit, the desired content of the time program, or the desired holiday. If something was dropped, it also has the values of these properties that the appliance reported last, so that the appliance returns to them. Empty if nothing is desired and nothing was reported.',
          properties: {
            ...heatingSettingDescriptions(),
            ...dhwSettingDescriptions(),
            override: {
              description:
                'The desired override; null to end the override. Do not apply an override whose end has passed according to the clock of the appliance. It counts from `since`, not from its arrival.',
              properties: heatingOverrideDescription().properties,
            },
            ...programContentDocs().properties,
            holiday: {
              description: 'The desired holiday; null for no holiday. Do not start a holiday whose `to` has passed.',
              properties: holidayPeriodDocs().properties,
            },
          },
        },
        validUntil:
          'The time until which a desired value is worth applying, by the name of its property, UTC; absent if no value expires. The name of the setpoint of a level is `levelSetpoints.` with the level behind it. Do not apply a value whose time has passed according to the clock of the appliance, and do not report such a version as fulfilled: the service drops the value and sends the next version.',
        companyId: 'The company that requested the newest of the desired settings; absent if all were dropped.',
        requestId:
          'The id of that request, as in the response to the company and in the audit log; absent if all were dropped.',
      },
    },
  },
});
