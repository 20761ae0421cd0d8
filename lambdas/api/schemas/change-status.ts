import * as z from 'zod/mini';
import { timestamp } from './common.ts';
import { connectivity } from './gateway.ts';
import { count, text } from './values.ts';

/** Whether a requested change is still to be taken over, and how old the report is. */
export const changeStatus = () => ({
  state: z.enum(['confirmed', 'pending']),
  version: count(),
  reportedAt: timestamp(),
  /** Only a pending change has it that the appliance has refused. */
  lastRefusal: z.optional(z.looseObject({ at: timestamp(), reason: text(), detail: text() })),
  /** Only the answer to an update has it. */
  connectivity: z.optional(connectivity()),
});

export const changeStatusDescriptions = () => ({
  state: '`pending` while the appliance has not yet reported the requested change, `confirmed` otherwise.',
  version: 'The number of the last requested change. Reports do not change it. The ETag holds it.',
  reportedAt: 'When the appliance last reported, UTC.',
  lastRefusal: {
    description:
      'Why the appliance did not take over the requested change when it last tried; absent if it did not refuse it. The change stays `pending` and is not withdrawn: request another one to replace it.',
    properties: {
      at: 'When the appliance refused the change, UTC.',
      reason: 'A short code of the appliance for the reason. New codes may be added.',
      detail: 'The reason in words.',
    },
  },
  connectivity: 'Only in the answer to a change: whether the gateway can receive the requested change now.',
});

export const changeStatusExample = () =>
  ({ state: 'confirmed', version: 7, reportedAt: '2026-11-20T16:30:00Z' }) as const;
