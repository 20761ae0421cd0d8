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
  /** The queue to which messages are redriven; absent if they only report lost records. */
  readonly redrivenTo?: QueueWithDeadLetters;
  /** What to do if messages cannot be redriven. */
  readonly insteadOfRedrive?: string;
  /** The queue whose consumer reads these messages, if they are events of a neighbour. */
  readonly inboundQueue?: InboundQueueName;
};

/** The queues of dead letters, by the names that commands accept. */
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
    insteadOfRedrive: 'Renew the feeds, so that partners read the state again: events renew <companyId>.',
  },
} as const satisfies Record<string, Place>;

export type PlaceName = keyof typeof deadLetterPlaces;

export const placeNames = Object.keys(deadLetterPlaces) as PlaceName[];

export const placeOf = (name: PlaceName): Place => deadLetterPlaces[name];

/** The argument of commands that take one of these queues. */
export const deadLetterPlace = {
  summary: placeNames.join(', '),
  schema: z.enum(placeNames, `is not one of ${placeNames.join(', ')}.`),
};

/** A dead letter as it was received. */
export type DeadLetter = {
  readonly messageId: string;
  readonly receiptHandle: string;
  /** The text for the consumer. If a rule could not deliver the event, it is taken out of its envelope. */
  readonly text: string;
  readonly sentAtMs: number;
  /** The message attributes that the sender set. */
  readonly attributes: Readonly<Record<string, string>>;
};

/** Reads at most `limit` dead letters and makes all of them visible again. */
export const peek = async (integrations: Integrations, place: PlaceName, limit: number): Promise<DeadLetter[]> => {
  const seen: DeadLetter[] = [];
  try {
    for await (const letters of receive(integrations, place, limit)) seen.push(...letters);
    return seen;
  } finally {
    await giveBack(integrations, place, seen);
  }
};

/** Calls `use` with each dead letter in turn. Makes the dead letters that `use` did not delete visible again. */
export const processEach = async (
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

/** The visibility timeout of a received message, which `giveBack` ends early. */
const hiddenSeconds = 60;

/** Long polling queries all servers of the queue, and returns as soon as one has a message. */
const waitSeconds = 2;

const maxBatch = 10;

/**
 * Receives dead letters in batches, up to the number in the queue at the start or the limit. A FIFO queue returns no more
 * messages of a group while some of its messages are hidden.
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

/** Takes an event out of the envelope that the bus adds if it cannot deliver it. The rule sends only the content. */
const textIn = (body: string): string => {
  const json = Object(parseJson(body)) as Readonly<Record<string, unknown>>;
  return 'detail-type' in json && 'detail' in json ? JSON.stringify(json.detail) : body;
};

/** Makes dead letters visible at once instead of after the visibility timeout. */
const giveBack = async ({ sqs, urlOf }: Integrations, place: PlaceName, letters: readonly DeadLetter[]) => {
  for (let begin = 0; begin < letters.length; begin += maxBatch) {
    const Entries = letters
      .slice(begin, begin + maxBatch)
      .map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle, VisibilityTimeout: 0 }));
    await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: urlOf(placeOf(place).queue), Entries }));
  }
};
