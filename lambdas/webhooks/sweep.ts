import type { WebhookSweepEvent } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { type DueMessage, dueMessages } from '../data/webhooks/deliveries.ts';
import { duePartitions } from '../data/webhooks/webhooks.ts';
import type { DuePartition } from '../domain/webhook.ts';
import type { FunctionEnvironment } from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';
import type { CountWaiting } from '../runtime/senders.ts';
import type { QueueDelivery } from './delivery-queue.ts';

export type SweepEnvironment = FunctionEnvironment & {
  readonly queueDelivery: QueueDelivery;
  readonly countWaiting: CountWaiting;
};

const operation = 'sweepWebhookMessages';
type Content = EventContent<WebhookSweepEvent>;

/** Maximum number of messages sent at once: fewer than the client's connections. */
const atOnce = 40;

/**
 * Queues every message that is due: retries, and messages whose entry in the queue was lost. It can run any number of times,
 * also concurrently: the function that takes an entry checks whether the message is still owed. If at least as many entries
 * wait as messages are due, they are for these messages: more entries would only make the queue longer every minute.
 */
export const sweepWebhookMessages = async (environment: SweepEnvironment): Promise<void> => {
  const { store, processTimeMs, queueDelivery, countWaiting } = environment;
  const nowMs = processTimeMs();
  const dueOf = async (partition: DuePartition) => {
    const due: DueMessage[] = [];
    for await (const page of dueMessages(store, partition, nowMs)) due.push(...page);
    return due;
  };
  const queue = async (due: readonly DueMessage[]) => {
    // If the count fails, the queue counts as empty.
    const waiting = due.length > 0 ? await countWaiting('webhookMessages').catch(() => 0) : 0;
    if (waiting >= due.length) return 0;
    for (let start = 0; start < due.length; start += atOnce)
      await Promise.all(due.slice(start, start + atOnce).map((webhook) => queueDelivery(webhook)));
    return due.length;
  };

  // Waits for all partitions: one that cannot be read does not block the others.
  const read = await Promise.allSettled(duePartitions.map(dueOf));
  const due = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const faults: unknown[] = read.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  const queued = await queue(due).catch((fault: unknown) => void faults.push(fault));
  if (faults.length > 0) {
    writeEvent(environment, nowMs, { level: 'ERROR', operation, ...faultFields(faults[0]) } satisfies Content);
    throw faults[0];
  }
  const OldestWebhookMessageMs = due.reduce((oldest, { dueAt }) => Math.max(oldest, nowMs - Date.parse(dueAt)), 0);
  writeEvent(environment, nowMs, {
    level: 'INFO',
    operation,
    messages: queued ?? 0,
    OldestWebhookMessageMs,
  } satisfies Content);
};
