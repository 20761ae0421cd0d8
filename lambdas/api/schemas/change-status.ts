import * as z from 'zod/mini';
import { connectivity, count, text, timestamp } from './common.ts';

/** Why a requested change was dropped. The decisions of an owner are not disclosed to others, so all endings have one reason. */
export const dropReasons = ['access-ended', 'dropped-by-operator'] as const;

/** The state of the last requested change of an item, and the age of the last report. */
export const itemStatus = () => ({
  state: z.enum(['confirmed', 'pending']),
  version: count(),
  reportedAt: timestamp(),
  /** Present only while the change is pending and the appliance has refused it. */
  lastRefusal: z.optional(z.looseObject({ at: timestamp(), reason: text(), detail: text() })),
  /** Present from the drop of a requested change until the next request. */
  lastDropped: z.optional(z.looseObject({ version: count(), at: timestamp(), reason: z.enum(dropReasons) })),
});

/** The body of a time program or a holiday: its status and settings, and the connectivity in the answer to a change. */
export const changeStatus = <Settings extends z.core.$ZodShape>(settings: Settings) => ({
  ...itemStatus(),
  ...settings,
  connectivity: z.optional(connectivity()),
});

export const itemStatusDescriptions = () => ({
  state: '`pending` while the appliance has not yet reported the requested change, `confirmed` otherwise.',
  version:
    'The number of the last change. Each requested change and each drop adds one, and reports add none. The ETag contains it.',
  reportedAt: 'When the appliance last reported, UTC.',
  lastRefusal: {
    description:
      'Why the appliance last refused the requested change, which stays `pending`; absent if it did not. Another change replaces it.',
    properties: {
      at: 'When the appliance refused the change, UTC.',
      reason: 'A short code of the appliance for the reason. New codes may be added.',
      detail: 'The reason, as text.',
    },
  },
  lastDropped: {
    description:
      'The change that was dropped since the last request, before the appliance reported it; absent if none was.',
    properties: {
      version: 'The version of the dropped change.',
      at: 'When the change was dropped, UTC.',
      reason:
        '`access-ended`: the company that requested the change may not act here any more. `dropped-by-operator`. New reasons may be added.',
    },
  },
});

export const changeStatusDescriptions = () => ({
  ...itemStatusDescriptions(),
  connectivity: 'Only in the response to a change: whether the gateway can receive the requested change now.',
});

export const changeStatusExample = () =>
  ({ state: 'confirmed', version: 7, reportedAt: '2026-11-20T16:30:00Z' }) as const;
