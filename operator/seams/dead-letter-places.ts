import * as z from 'zod';
import type { InboundQueueName, QueueName } from '../../lambdas/api/queues.ts';
import type { DeadLetterQueue } from '../connection/stage-queues.ts';

type Place = {
  readonly queue: DeadLetterQueue;
  /** Where its messages go back to; absent where they only tell what was lost. */
  readonly redrivenTo?: QueueName;
  /** What to do where nothing can be sent again. */
  readonly insteadOfRedrive?: string;
  /** The queue whose consumer reads such messages, if they are events of a neighbour. */
  readonly inboundQueue?: InboundQueueName;
};

/** The queues of what could not be taken or handed on, by the names that operators write. */
export const deadLetterPlaces = {
  portalEvents: { queue: 'portalEvents/deadLetters', redrivenTo: 'portalEvents', inboundQueue: 'portalEvents' },
  undelivered: { queue: 'undelivered', redrivenTo: 'portalEvents', inboundQueue: 'portalEvents' },
  gatewayReports: {
    queue: 'gatewayReports/deadLetters',
    redrivenTo: 'gatewayReports',
    inboundQueue: 'gatewayReports',
  },
  requestedChanges: { queue: 'requestedChanges/deadLetters', redrivenTo: 'requestedChanges' },
  pokes: { queue: 'pokes/deadLetters', redrivenTo: 'pokes' },
  relayFailures: {
    queue: 'relayFailures',
    insteadOfRedrive: 'Send the changes again: change list, then change resend <gatewayId>.',
  },
  feedFailures: {
    queue: 'feedFailures',
    insteadOfRedrive: 'Begin the feeds anew, so that partners read the state again: events renew <companyId>.',
  },
} as const satisfies Record<string, Place>;

export type PlaceName = keyof typeof deadLetterPlaces;

export const placeNames = Object.keys(deadLetterPlaces) as PlaceName[];

export const placeOf = (name: PlaceName): Place => deadLetterPlaces[name];

/** The argument of the commands that are about one of them. */
export const deadLetterPlace = {
  summary: placeNames.join(', '),
  schema: z.enum(placeNames, `is none of ${placeNames.join(', ')}.`),
};
