import * as z from 'zod/mini';
import { type Neighbour, queues } from '../queues.ts';
import { companyId, id } from '../schemas/common.ts';
import type { InboundEventRow } from './inbound-event.ts';

/** An event whose time is further ahead of its arrival is refused: it would mute all that comes after it until then. */
export const maxClockAheadMs = 60_000;

const subjects = { companyId, gatewayId: id } as const;

/** A whole event of a type, as CloudEvents 1.0 names its parts. */
export const eventOf = <Data extends z.ZodMiniType>(
  type: string,
  { queue, subject, data }: Omit<InboundEventRow, 'data'> & { readonly data: () => Data },
) =>
  z.object({
    specversion: z.literal('1.0'),
    id: id(),
    source: z.literal<Neighbour>(queues[queue].neighbour),
    type: z.literal(type),
    subject: subjects[subject](),
    time: z.iso.datetime({ precision: 3, error: 'Expected RFC 3339 in UTC with milliseconds.' }),
    data: data(),
  });

/** What the maker's teams read about the parts that every event has. */
export const envelopeDescriptions = () => ({
  specversion: 'The version of CloudEvents.',
  id: 'The id of the event, unique for its source; a repeat has the id of the first. Audit and log tell it.',
  source: 'The system that sends the event.',
  type: 'The type of the event, with its version.',
  subject: 'What the event is about.',
  time: `When the fact came about, by the clock of the sender: RFC 3339 in UTC with milliseconds. Of two events about the same thing the later time holds, in whatever order they arrive. At most ${maxClockAheadMs / 1000} s ahead of the arrival.`,
  data: 'The fact.',
});
