import * as z from 'zod/mini';
import { maxCircuits, maxComponents, maxGatewayFacts } from '../limits.ts';
import {
  connectivity,
  count,
  type Documentation,
  gatewayIdDescription,
  id,
  matching,
  text,
  timestamp,
} from './common.ts';
import { fault, faultDescriptions } from './fault.ts';
import {
  dhwCircuitWithPrograms,
  dhwCircuitWithProgramsDocs,
  heatingCircuitWithPrograms,
  heatingCircuitWithProgramsDocs,
  homeCursor,
} from './home.ts';
import { timeZoneName } from './time-zone.ts';

/** The functions that an appliance can block for a while to protect itself. */
export const applianceFunctions = ['heatingCircuits', 'heatingTimePrograms', 'dhwCircuits', 'dhwTimePrograms'] as const;
export type ApplianceFunction = (typeof applianceFunctions)[number];

/** Functions that only some appliances have. The gateway's description lists those of its appliance. */
export const applianceFeatures = ['heatingOverrides', 'dhwOverrides', 'holidays'] as const;
export type ApplianceFeature = (typeof applianceFeatures)[number];

/** No list of the known ones: a client that reads it strictly would fail at the next. */
export const featureName = () => matching(/^[A-Za-z]+$/, 64);

export const gateway = () =>
  z.looseObject({
    gatewayId: id(),
    name: text(),
    type: text(),
    connectivity: connectivity(),
    lastSeenAt: timestamp(),
    blockedFunctions: z
      .array(
        z.looseObject({
          function: z.enum(applianceFunctions),
          blockedSince: timestamp(),
          blockedUntil: z.nullable(timestamp()),
        }),
      )
      .check(z.maxLength(applianceFunctions.length)),
    faults: z.array(fault()).check(z.maxLength(maxGatewayFacts)),
    components: z
      .array(
        z.looseObject({
          componentId: text(),
          type: text(),
          model: text(),
          serialNumber: z.optional(text()),
        }),
      )
      .check(z.maxLength(maxComponents)),
    limits: z.looseObject({
      maxSwitchPoints: count(),
      maxSwitchPointsPerDay: count(),
      switchPointRasterMinutes: count(),
    }),
    features: z.array(featureName()).check(z.maxLength(applianceFeatures.length)),
    timeZone: z.nullable(timeZoneName()),
    /** Only the answer to a request that includes circuits has these. */
    heatingCircuits: z.optional(z.array(heatingCircuitWithPrograms()).check(z.maxLength(2 * maxCircuits))),
    dhwCircuits: z.optional(z.array(dhwCircuitWithPrograms()).check(z.maxLength(2 * maxCircuits))),
    nextCursor: z.optional(z.nullable(homeCursor())),
  });

/** The words about a block, in the gateway and in the problem that refuses a change because of it. */
export const blockDescriptions = () => ({
  function: 'The blocked function: changes of circuits or of time programs, for heating or for hot water (dhw).',
  blockedSince: 'When the appliance began to block the function, UTC.',
  blockedUntil: 'When the appliance will accept changes again, UTC; null if the appliance does not know.',
});

/** The words about a fault in the gateway. */
const faultDocs = () => {
  const { componentId, text, ...others } = faultDescriptions();
  return {
    ...others,
    componentId: `${componentId} Null if the appliance names no component.`,
    text: `${text} Null if there is none.`,
  };
};

const featuresDescription =
  'The optional features that the appliance supports: `heatingOverrides` and `dhwOverrides`, overrides of heating and of hot-water circuits; `holidays`. More may be added: ignore features that you do not know.';

export const gatewayDocs = (): Documentation<typeof gateway> => ({
  example: {
    gatewayId: 'gw-1001',
    name: 'Home',
    type: 'heat-pump',
    connectivity: 'online',
    lastSeenAt: '2026-11-20T16:30:00Z',
    blockedFunctions: [
      { function: 'dhwTimePrograms', blockedSince: '2026-11-20T16:00:00Z', blockedUntil: '2026-11-20T17:00:00Z' },
    ],
    faults: [
      {
        code: 'F.28',
        componentId: '1',
        severity: 'fault',
        text: 'Ignition failed.',
        since: '2026-11-20T15:58:31Z',
      },
    ],
    components: [
      { componentId: '1', type: 'heat-pump', model: 'AW-8', serialNumber: 'AW8-gw-1001' },
      { componentId: '2', type: 'room-sensor', model: 'RS-1' },
    ],
    limits: { maxSwitchPoints: 56, maxSwitchPointsPerDay: 8, switchPointRasterMinutes: 10 },
    features: ['heatingOverrides', 'dhwOverrides', 'holidays'],
    timeZone: 'Europe/Berlin',
  },
  properties: {
    gatewayId: gatewayIdDescription,
    name: 'The name of the gateway, as its owner sees it.',
    type: 'The kind of gateway.',
    connectivity: 'Whether the service can reach the gateway now.',
    lastSeenAt: 'When the gateway last reported, UTC.',
    components: {
      description: 'The parts of the appliance.',
      properties: {
        componentId: 'The id of the component within its gateway.',
        type: 'The kind of component.',
        model: 'The model of the component.',
        serialNumber: 'The serial number of the component; absent if it has none.',
      },
    },
    blockedFunctions: {
      description:
        'The functions that the appliance blocks temporarily to protect itself. The service refuses changes that need them.',
      properties: blockDescriptions(),
    },
    faults: {
      description:
        'The open faults of the appliance and the maintenance that is due, newest first. The code and the component together identify a fault.',
      properties: faultDocs(),
    },
    limits: {
      description: 'The limits of a time program of the appliance.',
      properties: {
        maxSwitchPoints: 'The highest number of switch points in a time program.',
        maxSwitchPointsPerDay: 'The highest number of switch points on one day of the week.',
        switchPointRasterMinutes: 'The time of a switch point is a multiple of this number of minutes.',
      },
    },
    features: featuresDescription,
    timeZone:
      'The time zone of the home by its IANA name, such as `Europe/Berlin`; null if it is not known. Times of time programs and days of energy are in this zone.',
    heatingCircuits: {
      description: 'Only in the response to a request with `include`: the heating circuits of this page.',
      properties: heatingCircuitWithProgramsDocs().properties,
    },
    dhwCircuits: {
      description: 'Only in the response to a request with `include`: the hot-water circuits of this page.',
      properties: dhwCircuitWithProgramsDocs().properties,
    },
    nextCursor:
      'Only in the response to a request with `include`. Send it as `cursor`, with the same `include`, to get the next page; null on the last page.',
  },
});
