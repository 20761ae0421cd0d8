import * as z from 'zod/mini';
import { timestamp } from './common.ts';

/** What an appliance can block by itself for a while, to protect itself. */
export const applianceFunctions = ['heatingCircuits', 'heatingTimePrograms', 'dhwCircuits', 'dhwTimePrograms'] as const;
export type ApplianceFunction = (typeof applianceFunctions)[number];

export const connectivity = () => z.enum(['online', 'offline']);

export const gateway = () =>
  z.looseObject({
    gatewayId: z.string(),
    name: z.string(),
    type: z.string(),
    connectivity: connectivity(),
    lastSeenAt: timestamp(),
    components: z.array(
      z.looseObject({
        componentId: z.string(),
        type: z.string(),
        model: z.string(),
        serialNumber: z.optional(z.string()),
      }),
    ),
    blockedFunctions: z.array(
      z.looseObject({
        function: z.enum(applianceFunctions),
        blockedSince: timestamp(),
        blockedUntil: z.nullable(timestamp()),
      }),
    ),
    limits: z.looseObject({
      maxSwitchPoints: z.int(),
      maxSwitchPointsPerDay: z.int(),
      switchPointRasterMinutes: z.int(),
    }),
  });
