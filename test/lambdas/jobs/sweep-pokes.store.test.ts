import { beforeAll, beforeEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { pokeSweepEvent } from '../../../lambdas/api/events/poke-event.ts';
import { owedFrom } from '../../../lambdas/data/webhooks/webhooks.ts';
import { handler } from '../../../lambdas/jobs/sweepPokes.ts';
import { webhookOf } from '../../support/poke-scene.ts';
import { usedActions } from '../../support/table-actions.ts';
import { injectFault, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(() => world.takeNewTables());

/** A run of the sweeper: what it has queued, and its line. */
const sweep = async (nowMs = startMs) => {
  const queued: string[] = [];
  const lines: string[] = [];
  const run = handler(undefined, undefined, {
    ...world.environment,
    processTimeMs: () => nowMs,
    log: (line) => void lines.push(line),
    queuePoke: async ({ webhookId }) => void queued.push(webhookId),
  });
  const failure = await run.then(
    () => undefined,
    (error: Error) => error,
  );
  return { queued: queued.toSorted(), told: z.parse(pokeSweepEvent, JSON.parse(lines[0] as string)), failure };
};

test('what is due is queued, whether it is tried again or its message was lost, and nothing else is', async () => {
  const due = await Promise.all([
    webhookOf(),
    webhookOf({ ...owedFrom(startMs - 90_000), failures: 3, failedSinceMs: startMs - 400_000 }),
    webhookOf({ state: 'unverified' }),
    webhookOf({ leasedUntilMs: startMs }),
  ]);
  const { due: _, dueAt, ...owedNothing } = await webhookOf({ ...owedFrom(startMs + 1) });
  expect(dueAt).toBeDefined();
  await webhookOf({ ...owedNothing, leasedUntilMs: startMs + 1 });
  const { queued, told } = await sweep();
  expect(queued).toEqual(due.map(({ webhookId }) => webhookId).toSorted());
  expect(told).toMatchObject({ level: 'INFO', pokes: 4, oldestMs: 90_000 });
});

test('a run does no harm to the next: the same is queued again until it is sent', async () => {
  await Promise.all(Array.from({ length: 25 }, () => webhookOf()));
  const first = await sweep();
  expect(first.queued).toHaveLength(25);
  expect((await sweep(startMs + 60_000)).queued).toEqual(first.queued);
});

test('a run with nothing to do says so', async () => {
  expect((await sweep()).told).toMatchObject({ pokes: 0, oldestMs: 0 });
});

test('the sweeper reads the index and nothing else', async () => {
  await webhookOf();
  world.proxy.begin();
  await sweep();
  expect(usedActions(world.store, world.proxy.exchanges)).toEqual(['Query on Webhooks']);
});

test('a run that fails says so, and fails', async () => {
  await webhookOf();
  injectFault(world, () => 'deny');
  const { told, failure } = await sweep();
  expect(told.level).toBe('ERROR');
  expect(failure).toBeInstanceOf(Error);
});
