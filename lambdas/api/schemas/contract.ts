import * as z from 'zod/mini';
import { timestamp } from './common.ts';

export const contractStates = ['active', 'suspended', 'ended'] as const;

export const contract = () =>
  z.looseObject({
    companyId: z.string(),
    userId: z.string(),
    state: z.enum(contractStates),
    since: timestamp(),
    consent: z.looseObject({
      requiredVersion: z.int(),
      acceptedVersion: z.nullable(z.int()),
      acceptedAt: z.nullable(timestamp()),
      upToDate: z.boolean(),
      portalUrl: z.url(),
    }),
  });
