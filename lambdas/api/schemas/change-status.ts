import * as z from 'zod/mini';
import { connectivity, count, text, timestamp } from './common.ts';

/** The state of the last requested change of an item, and the age of the last report. */
export const itemStatus = () => ({
  state: z.enum(['confirmed', 'pending']),
  version: count(),
  reportedAt: timestamp(),
  /** Present only while the change is pending and the appliance has refused it. */
  lastRefusal: z.optional(z.looseObject({ at: timestamp(), reason: text(), detail: text() })),
});

/** The body of a time program or a holiday: its status and settings, and the connectivity in the answer to a change. */
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
