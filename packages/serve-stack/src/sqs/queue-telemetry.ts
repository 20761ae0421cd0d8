import type { EventEmitter } from 'node:events';

/** What a queue holds, as its metrics tell it. */
export type QueueDepth = {
  readonly queueName: string;
  readonly visible: number;
  readonly notVisible: number;
  readonly delayed: number;
  /** When the oldest message was sent that nobody has deleted. */
  readonly oldestSentAtMs: number | undefined;
};

/** Happens for each queue, twice a second. */
export type QueueEvents = { queueDepth: [depth: QueueDepth] };

export type QueueEmitter = Pick<EventEmitter<QueueEvents>, 'emit' | 'listenerCount'>;

const intervalMs = 500;

/** Measures the queues while somebody listens; `stop` ends it. */
export const followQueues = (
  names: () => readonly string[],
  depthOf: (queueName: string) => Promise<QueueDepth>,
  events: QueueEmitter,
) => {
  const measure = async () => {
    if (events.listenerCount('queueDepth') === 0) return;
    for (const depth of await Promise.all(names().map(depthOf))) events.emit('queueDepth', depth);
  };
  let measuring: Promise<unknown> = Promise.resolve();
  // A measurement that takes longer than the interval is waited for, and one that fails is missing.
  const timer = setInterval(() => {
    measuring = measuring.then(measure).catch(() => undefined);
  }, intervalMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await measuring;
    },
  };
};
