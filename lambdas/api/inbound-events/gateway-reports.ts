import * as z from 'zod/mini';
import { maxCircuits, maxComponents, maxTimeProgramsPerCircuit } from '../limits.ts';
import {
  describedLimits,
  dhwLimitsDescriptions,
  heatingLimitsDescriptions,
  usualCurveLimits,
} from '../schemas/circuit-limits.ts';
import { circulationDescription, defaultCirculationLevels, describedCirculation } from '../schemas/circulation.ts';
import {
  connectivities,
  id,
  knownEnum,
  knownWord,
  mayBeAbsent,
  openEnum,
  sentCount,
  timestamp,
  writtenText,
} from '../schemas/common.ts';
import { applianceFeatures, applianceFunctions, blockDescriptions, gatewayDocs } from '../schemas/gateway.ts';
import { levelLimitsDescription } from '../schemas/level-setpoints.ts';
import type { Range } from '../schemas/range.ts';
import { setpoints } from '../schemas/setpoints.ts';
import { timeZone } from '../schemas/time-zone.ts';
import { applianceReportDocs, applianceReports } from './appliance-reports.ts';
import { faultClearance, faultClearanceDocs, faultReport, faultReportDocs } from './fault-reports.ts';
import {
  changeItem,
  changeItemDescriptions,
  type EventDocs,
  family,
  type InboundEventRow,
  ofGateway,
} from './inbound-event.ts';

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
        maxSwitchPoints: sentCount(),
        maxSwitchPointsPerDay: sentCount(),
        switchPointRasterMinutes: sentCount(1),
      }),
    ),
    timeZone: mayBeAbsent(timeZone()),
    features: mayBeAbsent(z.array(feature()).check(z.maxLength(maxFeatures))),
    circuits: mayBeAbsent(
      z
        .array(
          z.object({
            family: family(),
            circuitId: id(),
            timeProgramIds: mayBeAbsent(z.array(id()).check(z.maxLength(maxTimeProgramsPerCircuit))),
            limits: mayBeAbsent(describedLimits()),
            circulation: mayBeAbsent(describedCirculation()),
          }),
        )
        .check(z.maxLength(maxCircuits)),
    ),
  });

/** Of a feature that this version does not know, the spelling stays. */
const feature = () => id().check(z.overwrite((name) => knownWord(applianceFeatures, name) ?? name));

/** The maximum number of features: more than any version will define. */
const maxFeatures = 50;

const noData = () => z.object({});
const connectivityChange = () =>
  z.object({
    connectivity: mayBeAbsent(knownEnum(connectivities)),
    lastSeenAt: mayBeAbsent(timestamp()),
  });
/** A function that this version does not know is not a fault of the sender. */
const functionBlock = () =>
  z.object({
    function: openEnum(applianceFunctions),
    since: mayBeAbsent(timestamp()),
    until: mayBeAbsent(timestamp()),
  });
const functionUnblock = () => z.object({ function: openEnum(applianceFunctions) });
const changeRefusal = () =>
  z.object({
    item: changeItem(),
    version: sentCount(),
    reason: mayBeAbsent(openEnum()),
    detail: mayBeAbsent(writtenText()),
  });

/** What gateways and appliances report. The subject is the gateway. */
export const gatewayReports = {
  'gateway.described.v1': { ...ofGateway, data: gatewayDescription },
  'gateway.removed.v1': { ...ofGateway, data: noData },
  'gateway.connectivity.v1': { ...ofGateway, data: connectivityChange },
  ...applianceReports,
  'function.blocked.v1': { ...ofGateway, data: functionBlock },
  'function.unblocked.v1': { ...ofGateway, data: functionUnblock },
  'fault.reported.v1': { ...ofGateway, data: faultReport },
  'fault.cleared.v1': { ...ofGateway, data: faultClearance },
  'change.refused.v1': { ...ofGateway, data: changeRefusal },
} as const satisfies Record<string, InboundEventRow>;

type Rows = typeof gatewayReports;

/** The defaults of setpoints: of all circuits, or of the settings that only some circuits have. */
const usualSetpoints = (ofRare: boolean): string =>
  Object.entries({ ...setpoints.heating, ...setpoints.dhw })
    .filter(([, { isRare }]) => isRare === ofRare)
    .map(([name, { usual }]) => `\`${name}\` ${stepsOf(usual)} °C`)
    .join(', ');

const absentSetting = () => {
  const { slope, shiftKelvin } = usualCurveLimits;
  const usual = `slopes ${stepsOf(slope)}, shifts ${stepsOf(shiftKelvin)} K, ${usualSetpoints(true)}`;
  return `absent if the circuit has no such setting. If a part of it is absent, its default applies: ${usual}`;
};

const stepsOf = ({ minimum, maximum, step }: Range) => `from ${minimum} to ${maximum} in steps of ${step}`;

const circulationDocs = () => {
  const { description, properties } = circulationDescription();
  const levels = defaultCirculationLevels.map((level) => `\`${level}\``).join(' and ');
  return {
    description: `${description}. Only of a hot-water circuit; absent if its appliance has no such time program.`,
    properties: { ...properties, levels: `${properties.levels}; ${levels} if absent.` },
  };
};

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
        'A gateway was installed, or its components have changed. Circuits and time programs that are no longer listed are removed. Blocks, connectivity, requested changes and everything that the event omits stay unchanged.',
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
              limits: {
                roomSetpointCelsius: { minimum: 3, maximum: 28 },
                levelSetpoints: [{ level: 'reduced', maximum: 25 }],
                heatingCurve: { slope: { minimum: 0.2, maximum: 2 } },
              },
            },
            { family: 'dhw', circuitId: 'dhw1', timeProgramIds: ['1', '2', '3'], circulation: { timeProgramId: '3' } },
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
          description: 'All circuits of the appliance. If absent, they stay unchanged.',
          properties: {
            family: familyDescription,
            circuitId,
            timeProgramIds: 'The ids of all time programs of the circuit. If absent, they stay unchanged.',
            limits: {
              description: `The values that partners may request for the circuit. If a property is absent, its default applies: ${usualSetpoints(false)}, and the modes and levels in the reference.`,
              properties: {
                ...dhwLimitsDescriptions(),
                ...heatingLimitsDescriptions(absentSetting()),
                levelSetpoints: levelLimitsDescription(
                  'absent if the circuit has none. If a part of a range is absent, that of the setpoint of the level `comfort` applies',
                ),
              },
            },
            circulation: circulationDocs(),
          },
        },
      },
    },
    'gateway.removed.v1': {
      summary: 'A gateway was removed permanently. All data of the gateway is deleted.',
      example: { subject, data: {} },
      properties: {},
    },
    'gateway.connectivity.v1': {
      summary:
        'A gateway went online or offline. Send this event on each transition, and once an hour while the state stays the same: otherwise partners see its circuits as stale after two hours. A gateway that comes online receives its open changes again.',
      example: { subject, data: { connectivity: 'online', lastSeenAt: '2026-11-21T10:16:02.004Z' } },
      properties: {
        connectivity: 'Whether the backend can reach the gateway now.',
        lastSeenAt: 'When the gateway was last connected. If absent, the time of the event.',
      },
    },
    ...applianceReportDocs(),
    'function.blocked.v1': {
      summary:
        'An appliance blocks a function temporarily to protect itself. During the block, partners cannot request changes that need the function.',
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
      summary: 'An appliance has ended a block early, or a block without a known end.',
      example: { subject, data: { function: 'dhwTimePrograms' } },
      properties: { function: `${functionDescription} ${knownFunctions()}` },
    },
    'fault.reported.v1': faultReportDocs(),
    'fault.cleared.v1': faultClearanceDocs(),
    'change.refused.v1': {
      summary:
        'An appliance refused a requested change. The change stays pending, and partners see the reason with it.',
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
        item: { description: 'The item that the change is for.', properties: changeItemDescriptions() },
        version: 'The version of the refused change.',
        reason: 'The reason, as a short code for programs; `unknown` if absent.',
        detail: 'The reason, as a sentence for people.',
      },
    },
  };
};
