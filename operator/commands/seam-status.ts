import * as z from 'zod';
import { type QueueName, queueNames } from '../../lambdas/api/queues.ts';
import { defineCommand } from '../cli/command.ts';
import type { Lags, Seams } from '../connection/seams.ts';
import { readDepth } from '../seams/depth.ts';

const queueStatus = z.strictObject({
  queue: z.string(),
  waiting: z.int(),
  inFlight: z.int(),
  /** Null where nothing measures it, or nothing waits. */
  oldestSeconds: z.number().nullable(),
  deadLetters: z.int(),
});

export const seamStatus = defineCommand({
  noun: 'seam',
  verb: 'status',
  summary:
    'Tell what waits in the queues between the stage and the maker’s other systems, what is in flight, and what could not be taken or handed on',
  arguments: {},
  options: {},
  changes: false,
  requirements: {
    tableActions: {},
    queueActions: {
      portalEvents: ['GetQueueAttributes'],
      'portalEvents/deadLetters': ['GetQueueAttributes'],
      gatewayReports: ['GetQueueAttributes'],
      'gatewayReports/deadLetters': ['GetQueueAttributes'],
      requestedChanges: ['GetQueueAttributes'],
      'requestedChanges/deadLetters': ['GetQueueAttributes'],
      pokes: ['GetQueueAttributes'],
      'pokes/deadLetters': ['GetQueueAttributes'],
      undelivered: ['GetQueueAttributes'],
      relayFailures: ['GetQueueAttributes'],
    },
    serviceActions: ['cloudwatch:GetMetricData'],
  },
  output: z.strictObject({
    queues: z.array(queueStatus),
    /** What the rule of the portal's bus gave up. */
    undelivered: z.int(),
    /** How old the record is that the relay of requested changes is at. */
    relaySeconds: z.number().nullable(),
    relayFailures: z.int(),
  }),
  run: async (context) => {
    const { seams } = await context.connect();
    const lags = await seams.readLags?.();
    if (!lags) context.talk('A local run does not tell how long messages have waited.');
    const [queues, undelivered, relayFailures] = await Promise.all([
      Promise.all(queueNames.map((name) => statusOf(seams, name, lags))),
      countOf(seams, 'undelivered'),
      countOf(seams, 'relayFailures'),
    ]);
    return { queues, undelivered, relaySeconds: lags?.relay ?? null, relayFailures };
  },
  view: ({ queues, undelivered, relaySeconds, relayFailures }) => [
    {
      rows: queues.map(({ queue, waiting, inFlight, oldestSeconds, deadLetters }) => ({
        ...{ queue, waiting, 'in flight': inFlight },
        ...{ 'oldest (s)': oldestSeconds, 'dead letters': deadLetters },
      })),
    },
    { facts: { undelivered, 'relay (s)': relaySeconds, relayFailures } },
  ],
  exits: { drift: 'there are dead letters, or what was not handed on' },
  exitCode: ({ queues, undelivered, relayFailures }) =>
    queues.reduce((sum, { deadLetters }) => sum + deadLetters, undelivered + relayFailures) > 0 ? 'drift' : 'ok',
});

const statusOf = async (seams: Seams, name: QueueName, lags: Lags | undefined) => {
  const [depth, deadLetters] = await Promise.all([readDepth(seams, name), countOf(seams, `${name}/deadLetters`)]);
  return { queue: name, ...depth, oldestSeconds: lags?.oldest[name] ?? null, deadLetters };
};

/** Those that somebody looks at right now count too. */
const countOf = async (seams: Seams, queue: Parameters<typeof readDepth>[1]): Promise<number> => {
  const { waiting, inFlight } = await readDepth(seams, queue);
  return waiting + inFlight;
};
