import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { webhookSweepEvent } from '../../../lambdas/api/log-events/background-events.ts';
import { duePartitions, webhookKey } from '../../../lambdas/data/webhooks/webhooks.ts';
import { handler } from '../../../lambdas/jobs/sweepWebhookMessages.ts';
import { usedActions } from '../../support/store.ts';
import { putWebhook } from '../../support/webhooks.ts';
import { injectFault, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(() => world.takeNewTables('Webhooks'));

const longDue = { dueAt: new Date(startMs - 90_000).toISOString() };

/** Runs the sweeper; returns what it has queued, and its log line. */
const sweep = async (nowMs = startMs, countWaiting: () => Promise<number> = async () => 0) => {
  const queued: string[] = [];
  const lines: string[] = [];
  const run = handler.withEnvironment({
    ...world.environment,
    processTimeMs: () => nowMs,
    log: (line) => void lines.push(line),
    queueDelivery: async ({ webhookId }) => void queued.push(webhookId),
    countWaiting,
  })(undefined, undefined);
  const failure = await run.then(
    () => undefined,
    (error: Error) => error,
  );
  return { queued: queued.toSorted(), logged: z.parse(webhookSweepEvent, JSON.parse(lines[0] as string)), failure };
};

/** Creates webhooks of one company. */
const webhooksOf = (...overrides: Parameters<typeof putWebhook>[1][]) =>
  Promise.all(overrides.map((each) => putWebhook('acme', each)));

test('due messages are queued, retries and lost messages alike, and nothing else', async () => {
  const due = await webhooksOf(
    {},
    { ...longDue, failures: 3, failedSinceMs: startMs - 400_000 },
    { state: 'unverified' },
    // Queued even with a lease: the receiver of the message checks it.
    { leasedUntilMs: startMs + 1 },
  );
  await webhooksOf(
    { dueAt: new Date(startMs + 1).toISOString() },
    { due: undefined as never, dueAt: undefined as never },
  );
  world.proxy.begin();
  const { queued, logged } = await sweep();
  expect(queued).toEqual(due.map(({ webhookId }) => webhookId).toSorted());
  expect(logged).toMatchObject({ level: 'INFO', messages: 4, OldestWebhookMessageMs: 90_000 });
  expect(usedActions(world.store, world.proxy.exchanges)).toEqual(['Query on Webhooks/index/byDue']);
  // Runs are repeatable: unsent messages are queued again, together with newly due messages.
  expect((await sweep(startMs + 60_000)).queued).toEqual(expect.arrayContaining(queued));
});

test('waiting messages are not queued again, but count as due; if the count fails, all are queued', async () => {
  const due = await webhooksOf({}, longDue, {});
  expect(await sweep(startMs, async () => 3)).toMatchObject({
    queued: [],
    logged: { messages: 0, OldestWebhookMessageMs: 90_000 },
  });
  expect((await sweep(startMs, async () => 2)).queued).toHaveLength(due.length);
  const unknown = await sweep(startMs, () => Promise.reject(new Error('The queue does not answer.')));
  expect([unknown.queued.length, unknown.failure]).toEqual([due.length, undefined]);
});

test('all eight partitions are read, each webhook is always in the same one, and one cannot block others', async () => {
  expect(duePartitions).toEqual(['due#0', 'due#1', 'due#2', 'due#3', 'due#4', 'due#5', 'due#6', 'due#7']);
  const webhooks = await webhooksOf(...Array.from({ length: 40 }, (_, index) => ({ webhookId: `wh_${index}` })));
  expect(webhooks.slice(0, 4).map(({ due }) => due)).toEqual(['due#4', 'due#1', 'due#7', 'due#1']);
  expect(new Set(webhooks.map(({ due }) => due)).size).toBe(8);
  expect((await sweep()).queued).toEqual(webhooks.map(({ webhookId }) => webhookId).toSorted());

  injectFault(world, ({ input }) => (input.ExpressionAttributeValues[':due'].S === 'due#0' ? 'deny' : undefined));
  const { queued, logged, failure } = await sweep();
  const others = webhooks.filter(({ due }) => due !== 'due#0');
  expect(queued).toEqual(others.map(({ webhookId }) => webhookId).toSorted());
  expect([logged.level, logged.OldestWebhookMessageMs]).toEqual(['ERROR', undefined]);
  expect(failure).toBeInstanceOf(Error);
});

test('each partition is read to its end, however many messages are due', async () => {
  // A page of DynamoDB is 1 MB, and these keys are as long as keys may be.
  const webhooks = ['due#0', 'due#7'].flatMap((due) =>
    Array.from({ length: 400 }, (_, index) => ({
      ...webhookKey('c'.repeat(2000), `wh_${due}_${String(index).padStart(900, '0')}`),
      due,
      dueAt: longDue.dueAt,
    })),
  );
  for (let start = 0; start < webhooks.length; start += 25) {
    const puts = webhooks.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await world.store.send(new BatchWriteCommand({ RequestItems: { [world.store.tableName('Webhooks')]: puts } }));
  }
  const { queued, logged } = await sweep();
  expect([logged.messages, new Set(queued).size]).toEqual([800, 800]);
});

test('a run without due messages logs zero', async () => {
  expect((await sweep()).logged).toMatchObject({ messages: 0, OldestWebhookMessageMs: 0 });
});
