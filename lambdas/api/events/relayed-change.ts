import * as z from 'zod/mini';
import type { ConsumerName } from '../background-functions.ts';
import { idPattern } from '../schemas/common.ts';
import { commonFields } from './event.ts';

const id = z.string().check(z.regex(idPattern));

/** The event of a change of an appliance that was to be told to its backend: all that its line may hold. */
export const relayedChange = z.strictObject({
  ...commonFields,
  operation: z.literal('relayRequestedChanges' satisfies ConsumerName),
  gatewayId: id,
  /** How many messages the backend was sent for it. */
  messages: z.int(),
  /** The highest version of a requested change among them. */
  version: z.optional(z.int()),
  /** The company and the request of that change. */
  companyId: z.optional(id),
  requestId: z.optional(z.string()),
  /** `reconnected`: all changes of the gateway that are open were sent again. */
  outcome: z.enum(['sent', 'reconnected', 'failed']),
});

export type RelayedChange = z.output<typeof relayedChange>;
