import { randomUUID } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import type { Queue } from '../../../lambdas/api/queues.ts';
import type { FifoMessage, StandardMessage } from '../../../lambdas/runtime/senders.ts';

type Held = {
  readonly message: StandardMessage | FifoMessage;
  readonly record: SQSRecord;
  readonly sentAtMs: number;
  visibleAtMs: number;
  receives: number;
};

/** How long a FIFO queue drops messages with the deduplication id of an earlier one. */
const deduplicatedMs = 300_000;

/** A queue with the times and limits of its definition, on the test's clock; `deadLetters` has what SQS moves away. */
export const openQueue = (
  { visibilityTimeoutSeconds, maxReceiveCount = Number.POSITIVE_INFINITY }: Partial<Queue>,
  now: () => number,
) => {
  const held = new Map<string, Held>();
  const deadLetters: string[] = [];
  const sentAtMsById = new Map<string, number>();
  const byReceipt = (receiptHandle: string) =>
    [...held.values()].find(({ record }) => record.receiptHandle === receiptHandle);

  return {
    deadLetters: deadLetters as readonly string[],
    /** Returns the bodies of all messages that are not deleted, in the order in which they were sent. */
    bodies: (): string[] => [...held.values()].map(({ message }) => message.body),
    send: (message: StandardMessage | FifoMessage): void => {
      if ('deduplicationId' in message) {
        const firstSentAtMs = sentAtMsById.get(message.deduplicationId);
        if (firstSentAtMs !== undefined && now() - firstSentAtMs < deduplicatedMs) return;
        sentAtMsById.set(message.deduplicationId, now());
      }
      const messageId = randomUUID();
      const delaySeconds = 'delaySeconds' in message ? (message.delaySeconds ?? 0) : 0;
      const attributes = 'attributes' in message ? (message.attributes ?? {}) : {};
      const sentAtMs = now();
      const record = {
        messageId,
        receiptHandle: messageId,
        body: message.body,
        attributes: { SentTimestamp: String(sentAtMs), ApproximateReceiveCount: '0' },
        messageAttributes: Object.fromEntries(
          Object.entries(attributes).map(([name, stringValue]) => [name, { stringValue, dataType: 'String' }]),
        ),
      } as unknown as SQSRecord;
      held.set(messageId, { message, record, sentAtMs, visibleAtMs: sentAtMs + delaySeconds * 1000, receives: 0 });
    },
    receive: (atMost: number): SQSRecord[] => {
      const received: SQSRecord[] = [];
      for (const [messageId, each] of held) {
        if (received.length === atMost) break;
        if (each.visibleAtMs > now()) continue;
        if (each.receives >= maxReceiveCount) {
          held.delete(messageId);
          deadLetters.push(each.message.body);
          continue;
        }
        each.receives++;
        each.visibleAtMs = now() + (visibilityTimeoutSeconds ?? 0) * 1000;
        const attributes = { ...each.record.attributes, ApproximateReceiveCount: String(each.receives) };
        received.push({ ...each.record, attributes });
      }
      return received;
    },
    remove: (messageId: string): void => void held.delete(messageId),
    hide: (receiptHandle: string, seconds: number): void => {
      const found = byReceipt(receiptHandle);
      if (found) found.visibleAtMs = now() + seconds * 1000;
    },
    /** Removes the last message. */
    takeLast: (): void => {
      const last = [...held.keys()].at(-1);
      if (last !== undefined) held.delete(last);
    },
    /** Removes and returns all messages with their attributes. */
    takeAll: (): StandardMessage[] => {
      const all = [...held.values()].map(({ message }) => message as StandardMessage);
      held.clear();
      return all;
    },
  };
};
