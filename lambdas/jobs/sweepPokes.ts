import type { EventContent } from '../api/events/event.ts';
import type { PokeSweepEvent } from '../api/events/poke-event.ts';
import { writeEvent } from '../data/event-log.ts';
import { functionEnvironment, requestTimeouts } from '../data/function-environment.ts';
import { createQueueSender } from '../data/queues/queue-sender.ts';
import { duePokes } from '../data/webhooks/owed-pokes.ts';
import { createPokeQueue } from '../data/webhooks/poke-queue.ts';
import { faultFields } from '../domain/fault-fields.ts';

const ownEnvironment = {
  ...functionEnvironment(process.env),
  queuePoke: createPokeQueue(createQueueSender(process.env, requestTimeouts)),
};
const operation = 'sweepPokes';
type Content = EventContent<PokeSweepEvent>;

/** So many messages are sent at once. */
const atOnce = 10;

/**
 * Queues every poke whose time has come: those that are tried again, and those whose message was lost. It may run any number
 * of times, also at once: whoever takes the message finds out whether the poke is still owed.
 */
export const handler = async (_event: unknown, _context: unknown, environment = ownEnvironment): Promise<void> => {
  const { store, processTimeMs, queuePoke } = environment;
  const nowMs = processTimeMs();
  let pokes = 0;
  let oldestMs = 0;
  try {
    for await (const page of duePokes(store, nowMs)) {
      // Somebody sends it at this moment.
      const due = page.filter(({ leasedUntilMs = 0 }) => leasedUntilMs <= nowMs);
      for (let start = 0; start < due.length; start += atOnce)
        await Promise.all(due.slice(start, start + atOnce).map((poke) => queuePoke(poke)));
      pokes += due.length;
      for (const { dueAt } of due) oldestMs = Math.max(oldestMs, nowMs - Date.parse(dueAt));
    }
    writeEvent(environment, nowMs, { level: 'INFO', operation, pokes, oldestMs } satisfies Content);
  } catch (error) {
    writeEvent(environment, nowMs, { level: 'ERROR', operation, ...faultFields(error) } satisfies Content);
    throw error;
  }
};
