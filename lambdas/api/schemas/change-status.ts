import * as z from 'zod/mini';
import { connectivity, count, text, timestamp } from './common.ts';

/** Whether a requested change is still to be taken over, and how old the report is. */
export const itemStatus = () => ({
  state: z.enum(['confirmed', 'pending']),
  version: count(),
  reportedAt: timestamp(),
  /** Only a pending change has it that the appliance has refused. */
  lastRefusal: z.optional(z.looseObject({ at: timestamp(), reason: text(), detail: text() })),
});

/** The same of a time program or a holiday around its settings, which only the answer to an update tells the connectivity of. */
export const changeStatus = <Settings extends z.core.$ZodShape>(settings: Settings) => ({
  ...itemStatus(),
  ...settings,
  connectivity: z.optional(connectivity()),
});

export const itemStatusDescriptions = () => ({
  state: '`pending` while the appliance has not yet reported the requested change, `confirmed` otherwise.',
  version: 'The number of the last requested change. Reports do not change it. The ETag contains it.',
  reportedAt: 'When the appliance last reported, UTC.',
  lastRefusal: {
    description:
      'Why the appliance refused the requested change at its last attempt; absent if it did not refuse the change. The change stays `pending` and is not withdrawn: request another change to replace it.',
    properties: {
      at: 'When the appliance refused the change, UTC.',
      reason: 'A short code of the appliance for the reason. New codes may be added.',
      detail: 'The reason, as text.',
    },
  },
});

export const changeStatusDescriptions = () => ({
  ...itemStatusDescriptions(),
  connectivity: 'Only in the response to a change: whether the gateway can receive the requested change now.',
});

export const changeStatusExample = () =>
  ({ state: 'confirmed', version: 7, reportedAt: '2026-11-20T16:30:00Z' }) as const;
