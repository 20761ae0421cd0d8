import * as z from 'zod/mini';
import { maxCircuits, maxComponents, maxTimeProgramsPerCircuit } from '../limits.ts';
import {
  type CircuitLimits,
  circuitLimitsDescriptions,
  describedLimits,
  usualLimits,
} from '../schemas/circuit-limits.ts';
import {
  connectivity,
  count,
  id,
  lowerCased,
  mayBeAbsent,
  openWord,
  timestamp,
  writtenText,
} from '../schemas/common.ts';
import { applianceFunctions, blockDescriptions, gatewayDocs } from '../schemas/gateway.ts';
import { timeZone } from '../schemas/time-zone.ts';
import {
  circuitReport,
  circuitReportDocs,
  energyReport,
  energyReportDocs,
  holidayReport,
  holidayReportDocs,
  timeProgramReport,
  timeProgramReportDocs,
} from './appliance-reports.ts';
import { faultClearance, faultClearanceDocs, faultReport, faultReportDocs } from './fault-reports.ts';
import { changeItem, changeItemDescriptions, type EventDocs, family, type InboundEventRow } from './inbound-event.ts';

const ofGateway = { queue: 'gatewayReports', subject: 'gatewayId' } as const;

const gatewayDescription = () =>
  z.object({
    name: mayBeAbsent(writtenText()),
    type: mayBeAbsent(writtenText()),
    components: mayBeAbsent(
      z
        .array(
          z.object({
            componentId: writtenText(),
            type: writtenText(),
            model: writtenText(),
            serialNumber: mayBeAbsent(writtenText()),
          }),
        )
        .check(z.maxLength(maxComponents)),
    ),
    limits: mayBeAbsent(
      z.object({
        maxSwitchPoints: count(),
        maxSwitchPointsPerDay: count(),
        switchPointRasterMinutes: count().check(z.minimum(1)),
      }),
    ),
    timeZone: mayBeAbsent(timeZone()),
    features: mayBeAbsent(z.array(id()).check(z.maxLength(maxFeatures))),
    circuits: mayBeAbsent(
      z
        .array(
          z.object({
            family: family(),
            circuitId: id(),
            timeProgramIds: mayBeAbsent(z.array(id()).check(z.maxLength(maxTimeProgramsPerCircuit))),
            limits: mayBeAbsent(describedLimits()),
          }),
        )
        .check(z.maxLength(maxCircuits)),
    ),
  });

/** The maximum number of features: more than any version will define. */
const maxFeatures = 50;

const nothing = () => z.object({});
const connectivityChange = () =>
  z.object({
    connectivity: mayBeAbsent(z.pipe(z.transform(lowerCased), connectivity())),
    lastSeenAt: mayBeAbsent(timestamp()),
  });
/** A function that this version does not know is not a fault of the sender. */
const functionBlock = () =>
  z.object({ function: openWord(), since: mayBeAbsent(timestamp()), until: mayBeAbsent(timestamp()) });
const functionUnblock = () => z.object({ function: openWord() });
const changeRefusal = () =>
  z.object({
    item: changeItem(),
    version: count(),
    reason: mayBeAbsent(openWord()),
    detail: mayBeAbsent(writtenText()),
  });

/** What gateways and appliances report. The subject is the gateway. */
export const gatewayReports = {
  'gateway.described.v1': { ...ofGateway, data: gatewayDescription },
  'gateway.removed.v1': { ...ofGateway, data: nothing },
  'gateway.connectivity.v1': { ...ofGateway, data: connectivityChange },
  'circuit.reported.v1': { ...ofGateway, data: circuitReport },
  'time-program.reported.v1': { ...ofGateway, data: timeProgramReport },
  'energy.reported.v1': { ...ofGateway, data: energyReport },
  'holiday.reported.v1': { ...ofGateway, data: holidayReport },
  'function.blocked.v1': { ...ofGateway, data: functionBlock },
  'function.unblocked.v1': { ...ofGateway, data: functionUnblock },
  'fault.reported.v1': { ...ofGateway, data: faultReport },
  'fault.cleared.v1': { ...ofGateway, data: faultClearance },
  'change.refused.v1': { ...ofGateway, data: changeRefusal },
} as const satisfies Record<string, InboundEventRow>;

type Rows = typeof gatewayReports;

const setpointsOf = ({ minSetpointCelsius, maxSetpointCelsius, setpointStepCelsius }: CircuitLimits) =>
  `${minSetpointCelsius} to ${maxSetpointCelsius} °C in steps of ${setpointStepCelsius}`;

const usualSetpoints = () => `${setpointsOf(usualLimits.heating)}, hot water ${setpointsOf(usualLimits.dhw)}`;

const knownFunctions = () =>
  `One of ${applianceFunctions.map((name) => `\`${name}\``).join(', ')}; others are ignored.`;

export const gatewayReportDocs = (): { readonly [Type in keyof Rows]: EventDocs<Rows[Type]> } => {
  const subject = 'gw-1001';
  const { name, type, components, limits, features, timeZone } = gatewayDocs().properties;
  const { function: functionDescription, blockedSince, blockedUntil } = blockDescriptions();
  const { family: familyDescription, circuitId } = changeItemDescriptions();
  return {
    'gateway.described.v1': {
      summary:
        'A gateway is there, or has other parts than before. Circuits and time programs that are no longer listed are removed. Blocks, connectivity and requested changes stay, and so does what the event leaves out.',
      example: {
        subject,
        data: {
          name: 'Home 1',
          type: 'heat-pump',
          components: [{ componentId: '1', type: 'heat-pump', model: 'AW-8', serialNumber: 'AW8-gw-1001' }],
          limits: { maxSwitchPoints: 56, maxSwitchPointsPerDay: 8, switchPointRasterMinutes: 10 },
          timeZone: 'Europe/Berlin',
          features: ['heatingOverrides', 'dhwOverrides', 'holidays'],
          circuits: [
            { family: 'heating', circuitId: 'hc1', timeProgramIds: ['1', '2'] },
            {
              family: 'heating',
              circuitId: 'hc2',
              timeProgramIds: ['1', '2'],
              limits: { minSetpointCelsius: 3, maxSetpointCelsius: 28 },
            },
            { family: 'dhw', circuitId: 'dhw1', timeProgramIds: ['1', '2'] },
          ],
        },
      },
      properties: {
        name,
        type,
        components,
        limits,
        timeZone,
        features: `${features} Names that the service does not know are ignored; absent is none.`,
        circuits: {
          description: 'All circuits of the appliance. Absent: they are as they were.',
          properties: {
            family: familyDescription,
            circuitId,
            timeProgramIds: 'The ids of all time programs of the circuit. Absent: they are as they were.',
            limits: {
              description: `What partners may request of the circuit. What is absent is as usual: ${usualSetpoints()}, and the modes and levels that the reference lists.`,
              properties: circuitLimitsDescriptions(),
            },
          },
        },
      },
    },
    'gateway.removed.v1': {
      summary: 'A gateway is gone for good, and what was known of it is deleted.',
      example: { subject, data: {} },
      properties: {},
    },
    'gateway.connectivity.v1': {
      summary:
        'A gateway went online or offline. Send it on each transition, and once an hour to tell that it is still so: without it, partners see its circuits as stale after two hours. A gateway that comes online gets its open changes again.',
      example: { subject, data: { connectivity: 'online', lastSeenAt: '2026-11-21T10:16:02.004Z' } },
      properties: {
        connectivity: 'Whether the backend can reach the gateway now.',
        lastSeenAt: 'When the gateway was last heard of. Absent: at the time of the event.',
      },
    },
    'circuit.reported.v1': circuitReportDocs(),
    'time-program.reported.v1': timeProgramReportDocs(),
    'energy.reported.v1': energyReportDocs(),
    'holiday.reported.v1': holidayReportDocs(),
    'function.blocked.v1': {
      summary: 'An appliance blocks a function for a while to protect itself. Partners cannot change it meanwhile.',
      example: {
        subject,
        data: { function: 'dhwTimePrograms', since: '2026-11-21T10:16:02Z', until: '2026-11-21T11:16:02Z' },
      },
      properties: {
        function: `${functionDescription} ${knownFunctions()}`,
        since: `${blockedSince} Absent: at the time of the event.`,
        until: blockedUntil,
      },
    },
    'function.unblocked.v1': {
      summary: 'An appliance has lifted a block, before its end or without a known one.',
      example: { subject, data: { function: 'dhwTimePrograms' } },
      properties: { function: `${functionDescription} ${knownFunctions()}` },
    },
    'fault.reported.v1': faultReportDocs(),
    'fault.cleared.v1': faultClearanceDocs(),
    'change.refused.v1': {
      summary:
        'An appliance did not take a requested change. The change stays pending, and partners see the reason beside it.',
      example: {
        subject,
        data: {
          item: { kind: 'circuit', family: 'heating', circuitId: 'hc1' },
          version: 2,
          reason: 'mode-locked',
          detail: 'The installer has locked the operation mode.',
        },
      },
      properties: {
        item: { description: 'What the change was requested of.', properties: changeItemDescriptions() },
        version: 'The version of the refused change.',
        reason: 'Why, as a short code for programs; `unknown` if it is absent.',
        detail: 'Why, in a sentence, for people.',
      },
    },
  };
};
