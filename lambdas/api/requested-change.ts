import * as z from 'zod/mini';
import { changeItem, changeItemDescriptions, envelopeDescriptions } from './inbound-events/inbound-event.ts';
import {
  desiredDhwCircuit,
  desiredHeatingCircuit,
  dhwCircuitUpdateDocs,
  heatingCircuitUpdateDocs,
} from './schemas/circuit.ts';
import { companyId, count, id, requestId } from './schemas/common.ts';
import { holidaySettings, holidayUpdateDocs } from './schemas/holiday.ts';
import { heatingOverrideDescription } from './schemas/override.ts';
import {
  dhwTimeProgramUpdate,
  heatingTimeProgramUpdate,
  heatingTimeProgramUpdateDocs,
} from './schemas/time-program.ts';

export const requestedChangeType = 'partner-api.change.requested.v1';

/** The desired state of an item: all that its requested changes still desire, so that an older version can be skipped. */
const desired = () =>
  z.union([
    desiredHeatingCircuit(),
    desiredDhwCircuit(),
    heatingTimeProgramUpdate(),
    dhwTimeProgramUpdate(),
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
      companyId: companyId(),
      requestId: requestId(),
    }),
  });

export type RequestedChangeEvent = z.output<ReturnType<typeof requestedChange>>;

export const requestedChangeDocs = () => ({
  summary: 'A partner requested a change of a circuit, of a time program or of a holiday.',
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
      companyId: 'acme',
      requestId: 'ZqX8fH2JliAEJ1Q=',
    },
  } satisfies RequestedChangeEvent,
  properties: {
    ...envelopeDescriptions(),
    id: 'The same for each delivery of the same version of the same item.',
    source: 'This service.',
    subject: 'The id of the gateway; also the group of the message.',
    time: 'When the change was requested.',
    data: {
      description: 'The change.',
      properties: {
        item: { description: 'What the change was requested of.', properties: changeItemDescriptions() },
        version:
          'The version of the item with this change. Apply the change only if no higher one of the item was applied.',
        desired: {
          description: 'The settings of the circuit, the content of the time program, or the holiday, that are to be.',
          properties: {
            ...heatingCircuitUpdateDocs().properties,
            ...dhwCircuitUpdateDocs().properties,
            override: {
              description:
                'The override that is to be; null: none. Never apply one whose end has passed by the clock of the appliance. It counts from `since`, not from its arrival.',
              properties: heatingOverrideDescription().properties,
            },
            ...heatingTimeProgramUpdateDocs().properties,
            holiday: {
              description: 'The holiday that is to be; null: none. Never begin one whose `to` has passed.',
              properties: holidayUpdateDocs().properties,
            },
          },
        },
        companyId: 'The company that requested it.',
        requestId: 'The id of its request, as the company and the audit log know it.',
      },
    },
  },
});
