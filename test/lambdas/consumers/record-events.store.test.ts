import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { recordedEvents } from '../../../lambdas/api/events/recorded-events.ts';
import { handler as recordKeyNotices } from '../../../lambdas/consumers/recordKeyNotices.ts';
import { handler as recordWebhookEvents } from '../../../lambdas/consumers/recordWebhookEvents.ts';
import { owePokes } from '../../../lambdas/data/webhooks/owed-pokes.ts';
import { toWebhookItem } from '../../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook } from '../../../lambdas/domain/webhooks/webhook.ts';
import { call } from '../../support/call.ts';
import { consistencyOf } from '../../support/consistent-reads.ts';
import { overtakenBy } from '../../support/overtaken.ts';
import { putWebhook, stored } from '../../support/poke-scene.ts';
import { companyRecord } from '../../support/stream-records.ts';
import { injectFault, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let records = 0;
const queued: string[] = [];
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(() => {
  queued.length = 0;
});

const environment = (log: string[] = []) => ({
  ...world.environment,
  processTimeMs: () => startMs,
  log: (line: string) => void log.push(line),
  queuePoke: async ({ webhookId }: { readonly webhookId: string }) => void queued.push(webhookId),
});

const notice = (companyId: string) =>
  companyRecord(++records, undefined, {
    ...{ companyId, sk: `K${records}#P7D`, keyId: `K${records}`, remaining: 'P7D', isLastKey: false },
    expiresAt: '2036-03-17T12:00:00Z',
  });

const typesOf = async (apiKey: string) =>
  (await call('listEvents', { apiKey })).body.items.map(({ type }: { type: string }) => type);

describe('a record of a stream', () => {
  test('has a poke sent to the enabled webhooks of its company, and to no others', async () => {
    const { companyId } = await onboard(world.store);
    const enabled = await putWebhook(companyId, { state: 'enabled' });
    for (const state of ['unverified', 'disabled'] as const) await putWebhook(companyId, { state });
    expect(await recordKeyNotices({ Records: [notice(companyId)] }, undefined, environment())).toEqual({
      batchItemFailures: [],
    });
    expect(queued).toEqual([enabled.webhookId]);
  });

  test('owes no poke to a webhook that is disabled at that moment', async () => {
    const { companyId } = await onboard(world.store);
    const webhook = await putWebhook(companyId, { state: 'enabled', due: undefined, dueAt: undefined } as never);
    const disable = () => putWebhook(companyId, { ...webhook, state: 'disabled' });
    const store = overtakenBy(world.store, disable, 1, UpdateCommand);
    await recordKeyNotices({ Records: [notice(companyId)] }, undefined, { ...environment(), store });
    expect(queued).toEqual([]);
    expect(await stored(webhook)).not.toHaveProperty('due');
  });

  test('has the webhooks looked up as they are now', async () => {
    const { companyId } = await onboard(world.store);
    expect(await consistencyOf(() => owePokes(world.store, companyId, startMs))).toEqual([true]);
  });

  test('has its poke sent also if the first delivery died between feed and poke', async () => {
    const { companyId, key } = await onboard(world.store);
    const { webhookId } = await putWebhook(companyId, { state: 'enabled' });
    const Records = [notice(companyId), notice(companyId)];
    const lines: string[] = [];
    injectFault(world, ({ action }) => (action === 'UpdateItem' ? 'deny' : undefined));
    const { batchItemFailures } = await recordKeyNotices({ Records }, undefined, environment(lines));
    world.proxy.begin();
    expect(batchItemFailures).toEqual([{ itemIdentifier: Records[0]?.dynamodb.SequenceNumber }]);
    expect(queued).toEqual([]);
    await recordKeyNotices({ Records }, undefined, environment(lines));
    expect(queued).toEqual([webhookId]);
    expect(await typesOf(key.apiKey)).toEqual(['api_key.expiring', 'api_key.expiring']);
    expect(lines.map((line) => z.parse(recordedEvents, JSON.parse(line)))).toMatchObject([
      { level: 'ERROR', companyId, events: 2, outcome: 'failed' },
      { level: 'INFO', companyId, events: 2, appended: 0, outcome: 'recorded' },
    ]);
  });

  test('that fails for one company holds up no other, and tells where to begin again', async () => {
    const [first, second] = [await onboard(world.store), await onboard(world.store)];
    const Records = [notice(second.companyId), notice(first.companyId), notice(first.companyId)];
    injectFault(world, ({ action, input }) =>
      action === 'TransactWriteItems' && JSON.stringify(input).includes(`"${first.companyId}"`) ? 'deny' : undefined,
    );
    const { batchItemFailures } = await recordKeyNotices({ Records }, undefined, environment());
    world.proxy.begin();
    expect(batchItemFailures).toEqual([{ itemIdentifier: Records[1]?.dynamodb.SequenceNumber }]);
    expect([await typesOf(first.key.apiKey), await typesOf(second.key.apiKey)]).toEqual([[], ['api_key.expiring']]);
  });
});

test('a webhook that is switched off is an event, once; its pokes are none', async () => {
  const { companyId, key } = await onboard(world.store);
  const webhook = await putWebhook(companyId, { state: 'enabled' });
  const item = (overrides: Partial<Webhook>) => toWebhookItem({ ...webhook, ...overrides });
  const disabled = { state: 'disabled', disabledAtMs: startMs - 1000, disabledBecause: 'gone' } as const;
  const changes = [
    [{}, { leasedUntilMs: startMs }],
    [{}, disabled],
    [disabled, { ...disabled, failures: 0 }],
  ] as const;
  const Records = changes.map(([before, after]) => companyRecord(++records, item(before), item(after)));
  await recordWebhookEvents({ Records }, undefined, environment());
  const { items } = (await call('listEvents', { apiKey: key.apiKey })).body;
  expect(items).toMatchObject([
    {
      ...{ type: 'webhook.disabled', at: '2036-03-10T11:59:59Z', resource: `/webhooks/${webhook.webhookId}` },
      data: { webhookId: webhook.webhookId, state: 'disabled' },
    },
  ]);
});
