import * as z from 'zod';
import { type QueueName, queueNames, queuesWithDeadLetters } from '../../../lambdas/api/queues.ts';
import { defineCommand } from '../../cli/command.ts';
import { type Integrations, type Lags, readDepth } from '../../integrations/integrations.ts';

const queueStatus = z.strictObject({
  queue: z.string(),
  waiting: z.int(),
  delayed: z.int(),
  inFlight: z.int(),
  /** Null if nothing is measured, or the queue is empty. */
  oldestSeconds: z.number().nullable(),
  /** Null for a queue without dead letters: the data of its messages is stored elsewhere. */
  deadLetters: z.int().nullable(),
});

export const integrationStatus = defineCommand({
  noun: 'integration',
  verb: 'status',
  summary:
    'Show how many messages are waiting, delayed or in flight in the queues between the stage, the portal, the gateway backend and webhooks, and how many dead letters there are',
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
      webhookMessages: ['GetQueueAttributes'],
      undelivered: ['GetQueueAttributes'],
      relayFailures: ['GetQueueAttributes'],
      feedFailures: ['GetQueueAttributes'],
    },
    serviceActions: ['cloudwatch:GetMetricData'],
  },
  output: z.strictObject({
    queues: z.array(queueStatus),
    /** The number of events that the rule of the portal's bus could not deliver. */
    undelivered: z.int(),
    /** The age of the record that the relay of requested changes is reading. */
    relaySeconds: z.number().nullable(),
    relayFailures: z.int(),
    /** The number of records that could not be added to the event feeds. */
    feedFailures: z.int(),
  }),
  run: async (context) => {
    const { integrations } = await context.connect();
    const lags = await integrations.readLags?.();
    if (!lags) context.talk('A local run does not measure how long messages have waited.');
    const [queues, undelivered, relayFailures, feedFailures] = await Promise.all([
      Promise.all(queueNames.map((name) => statusOf(integrations, name, lags))),
      countOf(integrations, 'undelivered'),
      countOf(integrations, 'relayFailures'),
      countOf(integrations, 'feedFailures'),
    ]);
    return { queues, undelivered, relaySeconds: lags?.relay ?? null, relayFailures, feedFailures };
  },
  view: ({ queues, undelivered, relaySeconds, relayFailures, feedFailures }) => [
    {
      rows: queues.map(({ queue, waiting, delayed, inFlight, oldestSeconds, deadLetters }) => ({
        queue,
        waiting,
        delayed,
        'in flight': inFlight,
        'oldest (s)': oldestSeconds,
        'dead letters': deadLetters,
      })),
    },
    { fields: { undelivered, 'relay (s)': relaySeconds, relayFailures, feedFailures } },
  ],
  exits: { drift: 'there are dead letters' },
  exitCode: ({ queues, undelivered, relayFailures, feedFailures }) =>
    queues.reduce((sum, { deadLetters }) => sum + (deadLetters ?? 0), undelivered + relayFailures + feedFailures) > 0
      ? 'drift'
      : 'ok',
});

const statusOf = async (integrations: Integrations, name: QueueName, lags: Lags | undefined) => {
  const [depth, deadLetters] = await Promise.all([readDepth(integrations, name), countDeadLetters(integrations, name)]);
  return { queue: name, ...depth, oldestSeconds: lags?.oldest[name] ?? null, deadLetters };
};

const countDeadLetters = async (integrations: Integrations, name: QueueName): Promise<number | null> => {
  const kept = queuesWithDeadLetters.find((each) => each === name);
  return kept === undefined ? null : countOf(integrations, `${kept}/deadLetters`);
};

/** Includes messages in flight. */
const countOf = async (integrations: Integrations, queue: Parameters<typeof readDepth>[1]): Promise<number> => {
  const { waiting, inFlight } = await readDepth(integrations, queue);
  return waiting + inFlight;
};
