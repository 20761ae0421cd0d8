import type { PokeSweepEvent } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { type DuePoke, duePokes } from '../data/webhooks/pokes.ts';
import { duePartitions } from '../data/webhooks/webhooks.ts';
import type { DuePartition } from '../domain/webhook.ts';
import type { FunctionEnvironment } from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';
import type { CountWaiting } from '../runtime/senders.ts';
import type { QueuePoke } from './poke-queue.ts';

export type SweepEnvironment = FunctionEnvironment & {
  readonly queuePoke: QueuePoke;
  readonly countWaiting: CountWaiting;
};

const operation = 'sweepPokes';
type Content = EventContent<PokeSweepEvent>;

/** Maximum number of messages sent at once: fewer than the client's connections. */
const atOnce = 40;

/**
 * Queues every poke that is due: retries, and pokes whose message was lost. It can run any number of times, also
 * concurrently: the receiver of a message checks whether the poke is still owed. If at least as many messages wait as pokes
 * are due, they are for these pokes: more messages would only make the queue longer every minute.
 */
export const sweepPokes = async (environment: SweepEnvironment): Promise<void> => {
  const { store, processTimeMs, queuePoke, countWaiting } = environment;
  const nowMs = processTimeMs();
  const dueOf = async (partition: DuePartition) => {
    const due: DuePoke[] = [];
    for await (const page of duePokes(store, partition, nowMs)) due.push(...page);
    return due;
  };
  const queue = async (due: readonly DuePoke[]) => {
    // If the count fails, the queue counts as empty.
    const waiting = due.length > 0 ? await countWaiting('pokes').catch(() => 0) : 0;
    if (waiting >= due.length) return 0;
    for (let start = 0; start < due.length; start += atOnce)
      await Promise.all(due.slice(start, start + atOnce).map((poke) => queuePoke(poke)));
    return due.length;
  };

  // Waits for all partitions: one that cannot be read does not block the others.
  const read = await Promise.allSettled(duePartitions.map(dueOf));
  const due = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const faults: unknown[] = read.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  const pokes = await queue(due).catch((fault: unknown) => void faults.push(fault));
  if (faults.length > 0) {
    writeEvent(environment, nowMs, { level: 'ERROR', operation, ...faultFields(faults[0]) } satisfies Content);
    throw faults[0];
  }
  const OldestPokeMs = due.reduce((oldest, { dueAt }) => Math.max(oldest, nowMs - Date.parse(dueAt)), 0);
  writeEvent(environment, nowMs, { level: 'INFO', operation, pokes: pokes ?? 0, OldestPokeMs } satisfies Content);
};
