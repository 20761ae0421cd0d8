import type { PokeSweepEvent } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { functionEnvironment, lambdaHandler, requestTimeouts } from '../data/function-environment.ts';
import { createQueueSender } from '../data/senders.ts';
import { createPokeQueue, duePokes } from '../data/webhooks/pokes.ts';
import { duePartitions } from '../data/webhooks/webhooks.ts';
import { faultFields, writeEvent } from '../domain/log-events.ts';
import type { DuePartition } from '../domain/webhook.ts';

const ownEnvironment = {
  ...functionEnvironment(process.env),
  queuePoke: createPokeQueue(createQueueSender(process.env, requestTimeouts)),
};

const operation = 'sweepPokes';
type Content = EventContent<PokeSweepEvent>;

/** So many messages are sent at once of each partition: fewer in all than the client has connections. */
const atOnce = 5;

/**
 * Queues every poke whose time has come: those that are tried again, and those whose message was lost. It may run any number
 * of times, also at once: whoever takes the message finds out whether the poke is still owed.
 */
export const handler = lambdaHandler(ownEnvironment, async (_event: unknown, environment): Promise<void> => {
  const { store, processTimeMs, queuePoke } = environment;
  const nowMs = processTimeMs();
  /** Gives the times at which those that it has queued were due. */
  const sweep = async (partition: DuePartition) => {
    const swept: number[] = [];
    for await (const page of duePokes(store, partition, nowMs))
      for (let start = 0; start < page.length; start += atOnce) {
        const due = page.slice(start, start + atOnce);
        await Promise.all(due.map((poke) => queuePoke(poke)));
        swept.push(...due.map(({ dueAt }) => Date.parse(dueAt)));
      }
    return swept;
  };
  // To the end of each: one that cannot be read holds up no other.
  const swept = await Promise.allSettled(duePartitions.map(sweep));
  const failure = swept.find((each) => each.status === 'rejected');
  if (!failure) {
    const dueMs = swept.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const OldestPokeMs = dueMs.reduce((oldest, atMs) => Math.max(oldest, nowMs - atMs), 0);
    return writeEvent(environment, nowMs, {
      level: 'INFO',
      operation,
      pokes: dueMs.length,
      OldestPokeMs,
    } satisfies Content);
  }
  writeEvent(environment, nowMs, { level: 'ERROR', operation, ...faultFields(failure.reason) } satisfies Content);
  throw failure.reason;
});
