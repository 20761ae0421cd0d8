import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { attemptDays } from '../../../lambdas/api/limits.ts';
import { putAttempt, readAttempts } from '../../../lambdas/data/webhooks/webhook-attempts.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(() => world.takeNewTables('WebhookAttempts'));

const webhook = { companyId: 'acme', webhookId: 'wh_1' };
const attemptAt = (atMs: number, messageId = 'msg_1') => ({
  type: 'events.available' as const,
  messageId,
  atMs,
  status: 204,
  fault: null,
  durationMs: 12,
});
const put = (atMs: number, { messageId = 'msg_1', of = webhook } = {}) =>
  putAttempt(world.store, of, attemptAt(atMs, messageId));
const read = async (nowMs: number, of = webhook) =>
  (await readAttempts(world.store, of, { nowMs, limit: 100 })).attempts;
const keptMs = attemptDays * 86_400_000;

test('pages have each attempt once, the newest first, and end where attempts expire', async () => {
  for (let index = 0; index < 5; index++) await put(startMs + index);
  const page = (after?: string, nowMs = startMs + 1000) =>
    readAttempts(world.store, webhook, { nowMs, limit: 2, after });
  const times: number[] = [];
  let next: string | undefined;
  do {
    const read = await page(next);
    times.push(...read.attempts.map(({ atMs }) => atMs));
    next = read.next;
  } while (next !== undefined);
  expect(times).toEqual([4, 3, 2, 1, 0].map((each) => startMs + each));
  const { next: second } = await page();
  expect(await page(second, startMs + keptMs + 1000)).toEqual({ attempts: [], next: undefined });
});

test('two attempts of the same millisecond are both kept', async () => {
  await Promise.all(['msg_1', 'msg_2'].map((messageId) => put(startMs, { messageId })));
  expect((await read(startMs)).map(({ messageId }) => messageId).toSorted()).toEqual(['msg_1', 'msg_2']);
});

test('an attempt is shown for three days, and then deleted by its time to live', async () => {
  await put(startMs);
  expect(await read(startMs + keptMs)).toHaveLength(1);
  expect(await read(startMs + keptMs + 1)).toEqual([]);
  const { Items } = await world.store.send(new ScanCommand({ TableName: world.store.tableName('WebhookAttempts') }));
  expect(Items).toMatchObject([{ removeAt: (startMs + keptMs) / 1000 }]);
});

test('an attempt is read for its webhook alone', async () => {
  await put(startMs);
  for (const other of [{ webhookId: 'wh_10' }, { webhookId: 'wh_' }, { companyId: 'other' }])
    expect(await read(startMs, { ...webhook, ...other })).toEqual([]);
});
