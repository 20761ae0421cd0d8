import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { InboundQueueName, QueueWithDeadLetters } from '../../lambdas/api/queues.ts';
import { parseJson } from '../../lambdas/domain/encoding.ts';
import { type DeadLetterQueue, type Integrations, readDepth } from './integrations.ts';

type Place = {
  readonly queue: DeadLetterQueue;
  /** Where its messages go back to; absent where they only tell what was lost. */
  readonly redrivenTo?: QueueWithDeadLetters;
  /** What to do where nothing can be sent again. */
  readonly insteadOfRedrive?: string;
  /** The queue whose consumer reads such messages, if they are events of a neighbour. */
  readonly inboundQueue?: InboundQueueName;
};

/** The queues of dead letters, by the names that operators write. */
const deadLetterPlaces = {
  portalEvents: { queue: 'portalEvents/deadLetters', redrivenTo: 'portalEvents', inboundQueue: 'portalEvents' },
  undelivered: { queue: 'undelivered', redrivenTo: 'portalEvents', inboundQueue: 'portalEvents' },
  gatewayReports: {
    queue: 'gatewayReports/deadLetters',
    redrivenTo: 'gatewayReports',
    inboundQueue: 'gatewayReports',
  },
  requestedChanges: { queue: 'requestedChanges/deadLetters', redrivenTo: 'requestedChanges' },
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

/** A dead letter as it was received. */
export type DeadLetter = {
  readonly messageId: string;
  readonly receiptHandle: string;
  /** The text that a consumer was to read: of what a rule kept, the event in its envelope. */
  readonly text: string;
  readonly sentAtMs: number;
  /** Of the sender. */
  readonly attributes: Readonly<Record<string, string>>;
};

/** Looks at dead letters, at most `limit`, and gives all of them back. */
export const peek = async (integrations: Integrations, place: PlaceName, limit: number): Promise<DeadLetter[]> => {
  const seen: DeadLetter[] = [];
  try {
    for await (const letters of receive(integrations, place, limit)) seen.push(...letters);
    return seen;
  } finally {
    await giveBack(integrations, place, seen);
  }
};

/** Hands dead letters one after the other to `use`, which tells whether it has deleted it; gives back all others. */
export const takeEach = async (
  integrations: Integrations,
  place: PlaceName,
  use: (letter: DeadLetter) => Promise<'deleted' | 'left'>,
): Promise<void> => {
  const held = new Set<DeadLetter>();
  try {
    for await (const letters of receive(integrations, place, Number.POSITIVE_INFINITY)) {
      for (const letter of letters) held.add(letter);
      for (const letter of letters) if ((await use(letter)) === 'deleted') held.delete(letter);
    }
  } finally {
    await giveBack(integrations, place, [...held]);
  }
};

export const deleteLetter = async ({ sqs, urlOf }: Integrations, place: PlaceName, { receiptHandle }: DeadLetter) => {
  await sqs.send(new DeleteMessageCommand({ QueueUrl: urlOf(placeOf(place).queue), ReceiptHandle: receiptHandle }));
};

/** Visibility timeout of a received message, unless it is given back before. */
const hiddenSeconds = 60;

/** A receipt asks all servers of the queue, and ends when one has a message. */
const waitSeconds = 2;

const maxBatch = 10;

/**
 * Receives dead letters in batches, until so many have come as there were when it began, or the limit. Of a FIFO queue a group
 * gives no more while some of its messages are hidden.
 */
async function* receive(
  integrations: Integrations,
  place: PlaceName,
  limit: number,
): AsyncGenerator<readonly DeadLetter[]> {
  const { queue } = placeOf(place);
  let left = Math.min(limit, (await readDepth(integrations, queue)).waiting);
  while (left > 0) {
    const { Messages = [] } = await integrations.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: integrations.urlOf(queue),
        MaxNumberOfMessages: Math.min(maxBatch, left),
        VisibilityTimeout: hiddenSeconds,
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return;
    left -= Messages.length;
    yield Messages.map(toDeadLetter);
  }
}

const toDeadLetter = ({ MessageId, ReceiptHandle, Body, Attributes, MessageAttributes }: Message): DeadLetter => ({
  messageId: MessageId ?? '',
  receiptHandle: ReceiptHandle ?? '',
  text: textIn(Body ?? ''),
  sentAtMs: Number(Attributes?.SentTimestamp),
  attributes: Object.fromEntries(
    Object.entries(MessageAttributes ?? {}).map(([name, { StringValue = '' }]) => [name, StringValue]),
  ),
});

/** A bus keeps an event that it could not hand on in its own envelope; the rule sends what is within. */
const textIn = (body: string): string => {
  const json = Object(parseJson(body)) as Readonly<Record<string, unknown>>;
  return 'detail-type' in json && 'detail' in json ? JSON.stringify(json.detail) : body;
};

/** Makes them visible at once; without this, they are so after the visibility timeout. */
const giveBack = async ({ sqs, urlOf }: Integrations, place: PlaceName, letters: readonly DeadLetter[]) => {
  for (let begin = 0; begin < letters.length; begin += maxBatch) {
    const Entries = letters
      .slice(begin, begin + maxBatch)
      .map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle, VisibilityTimeout: 0 }));
    await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: urlOf(placeOf(place).queue), Entries }));
  }
};
