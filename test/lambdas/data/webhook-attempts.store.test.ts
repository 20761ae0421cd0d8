import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { attemptDays, shownAttempts } from '../../../lambdas/api/limits.ts';
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
const read = (nowMs: number, of = webhook) => readAttempts(world.store, of, nowMs);
const keptMs = attemptDays * 86_400_000;

test('the last twenty attempts are read, the newest first', async () => {
  for (let index = 0; index <= shownAttempts; index++) await put(startMs + index);
  const times = (await read(startMs + 1000)).map(({ atMs }) => atMs);
  expect(times).toEqual(Array.from({ length: 20 }, (_, index) => startMs + 20 - index));
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
