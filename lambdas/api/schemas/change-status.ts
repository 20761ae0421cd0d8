import * as z from 'zod/mini';
import { maxValidDays } from '../limits.ts';
import { connectivity, count, matching, text, timestamp } from './common.ts';

/** Why a requested change was dropped. The decisions of an owner are not disclosed to others, so all endings have one reason. */
export const dropReasons = ['access-ended', 'dropped-by-operator', 'expired'] as const;

/** The document lists the known reasons as examples, since a generated enum would fail at the next. */
const dropReason = () => matching(/^[a-z-]+$/, 64).check(z.meta({ examples: [...dropReasons] }));

/** What the body of a requested change may have beside the settings. */
export const changeTerms = () => ({ validUntil: z.optional(timestamp()) });

export const changeTermsDescriptions = () => ({
  validUntil: `Until when the change is worth applying, UTC, at most ${maxValidDays} days ahead. If the appliance has not reported the change by then, the service drops it. Without it, the change waits until the appliance reports it.`,
});

/** The state of the last requested change of an item, and the age of the last report. */
export const itemStatus = () => ({
  state: z.enum(['confirmed', 'pending']),
  version: count(),
  reportedAt: timestamp(),
  /** Present only while something with an end is pending. */
  validUntil: z.optional(timestamp()),
  /** Present only while the change is pending and the appliance has refused it. */
  lastRefusal: z.optional(z.looseObject({ at: timestamp(), reason: text(), detail: text() })),
  /** Present from the drop of a requested change until the next request. */
  lastDropped: z.optional(z.looseObject({ version: count(), at: timestamp(), reason: dropReason() })),
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
  validUntil:
    'When the first of the pending settings expires, UTC; absent if none of them expires. The service then drops these settings.',
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
      version: 'The version of the dropped change; the newest one, if several were dropped.',
      at: 'When the change was dropped, UTC.',
      reason:
        '`access-ended`: the company that requested the change may not act here any more. `dropped-by-operator`. `expired`: its `validUntil` has passed. New reasons may be added.',
    },
  },
});

export const changeStatusDescriptions = () => ({
  ...itemStatusDescriptions(),
  connectivity: 'Only in the response to a change: whether the gateway can receive the requested change now.',
});

export const changeStatusExample = () =>
  ({ state: 'confirmed', version: 7, reportedAt: '2026-11-20T16:30:00Z' }) as const;
