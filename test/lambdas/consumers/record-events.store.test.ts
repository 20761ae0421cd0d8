import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { recordedEvents } from '../../../lambdas/api/log-events/background-events.ts';
import type { BusName } from '../../../lambdas/api/queues.ts';
import { handler as recordKeyNotices } from '../../../lambdas/consumers/recordKeyNotices.ts';
import { handler as recordWebhookEvents } from '../../../lambdas/consumers/recordWebhookEvents.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { oweMessages } from '../../../lambdas/data/webhooks/deliveries.ts';
import { toWebhookItem } from '../../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook } from '../../../lambdas/domain/webhook.ts';
import type { BusEvent } from '../../../lambdas/runtime/senders.ts';
import { call } from '../../support/call.ts';
import { companyRecord, newStreamProcess, unavailable } from '../../support/feed.ts';
import { consistencyOf, overtakenBy } from '../../support/store.ts';
import { putWebhook, stored } from '../../support/webhooks.ts';
import { injectFault, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let records = 0;
const queued: string[] = [];
/** The notices for operators, in order. */
const notices: BusEvent[] = [];
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(() => {
  queued.length = 0;
  notices.length = 0;
});

const environment = (log: string[] = []) => ({
  ...world.environment,
  processTimeMs: () => startMs,
  log: (line: string) => void log.push(line),
  queueDelivery: async ({ webhookId }: { readonly webhookId: string }) => void queued.push(webhookId),
  putOnBus: async (_bus: BusName, events: readonly BusEvent[]) => void notices.push(...events),
  ...newStreamProcess(),
});

const notice = (companyId: string) =>
  companyRecord(++records, undefined, {
    companyId,
    sk: `K${records}#P7D`,
    keyId: `K${records}`,
    remaining: 'P7D',
    isLastKey: false,
    access: 'full',
    label: null,
    expiresAt: '2036-03-17T12:00:00Z',
  });

const typesOf = async (apiKey: string) =>
  (await call('listEvents', { apiKey })).body.items.map(({ type }: { type: string }) => type);

describe('a record of a stream', () => {
  test('sends a message to the enabled webhooks of its company, and to no others', async () => {
    const { companyId } = await onboard(world.store);
    const enabled = await putWebhook(companyId, { state: 'enabled' });
    for (const state of ['unverified', 'disabled'] as const) await putWebhook(companyId, { state });
    expect(await recordKeyNotices.withEnvironment(environment())({ Records: [notice(companyId)] }, undefined)).toEqual({
      batchItemFailures: [],
    });
    expect(queued).toEqual([enabled.webhookId]);
  });

  test('owes no message to a webhook that is disabled at the same moment', async () => {
    const { companyId } = await onboard(world.store);
    const webhook = await putWebhook(companyId, { state: 'enabled', due: undefined, dueAt: undefined } as never);
    const disable = () => putWebhook(companyId, { ...webhook, state: 'disabled' });
    const store = overtakenBy(world.store, disable, 1, UpdateCommand);
    await recordKeyNotices.withEnvironment({ ...environment(), store })({ Records: [notice(companyId)] }, undefined);
    expect(queued).toEqual([]);
    expect(await stored(webhook)).not.toHaveProperty('due');
  });

  test('reads the webhooks with strong consistency', async () => {
    const { companyId } = await onboard(world.store);
    expect(await consistencyOf(() => oweMessages(world.store, companyId, startMs))).toEqual([true]);
  });

  test('sends its message even if the first delivery failed between the feed and the message', async () => {
    const { companyId, key } = await onboard(world.store);
    const { webhookId } = await putWebhook(companyId, { state: 'enabled' });
    const Records = [notice(companyId), notice(companyId)];
    const lines: string[] = [];
    injectFault(world, ({ action }) => (action === 'UpdateItem' ? 'deny' : undefined));
    const { batchItemFailures } = await recordKeyNotices.withEnvironment(environment(lines))({ Records }, undefined);
    world.proxy.begin();
    expect(batchItemFailures).toEqual([{ itemIdentifier: Records[0]?.dynamodb.SequenceNumber }]);
    expect(queued).toEqual([]);
    await recordKeyNotices.withEnvironment(environment(lines))({ Records }, undefined);
    expect(queued).toEqual([webhookId]);
    expect(await typesOf(key.apiKey)).toEqual(['api_key.expiring', 'api_key.expiring']);
    expect(lines.map((line) => z.parse(recordedEvents, JSON.parse(line)))).toMatchObject([
      { level: 'ERROR', companyId, events: 2, outcome: 'failed' },
      { level: 'INFO', companyId, events: 2, appended: 0, outcome: 'recorded' },
    ]);
  });

  test('that fails for one company does not block others, and is returned for redelivery', async () => {
    const [first, second] = [await onboard(world.store), await onboard(world.store)];
    const Records = [notice(second.companyId), notice(first.companyId), notice(first.companyId)];
    injectFault(world, ({ action, input }) =>
      action === 'TransactWriteItems' && JSON.stringify(input).includes(`"${first.companyId}"`) ? 'deny' : undefined,
    );
    const { batchItemFailures } = await recordKeyNotices.withEnvironment(environment())({ Records }, undefined);
    world.proxy.begin();
    expect(batchItemFailures).toEqual([{ itemIdentifier: Records[1]?.dynamodb.SequenceNumber }]);
    expect([await typesOf(first.key.apiKey), await typesOf(second.key.apiKey)]).toEqual([[], ['api_key.expiring']]);
  });
});

describe('a record that no retry fixes', () => {
  /** Returns a record whose sort key is not a string, so that it cannot be read. */
  const unreadable = (companyId: string) => {
    const record = notice(companyId);
    return { ...record, dynamodb: { ...record.dynamodb, NewImage: { ...record.dynamodb.NewImage, sk: {} } } } as never;
  };

  test('because it cannot be read is set aside, and the others of its batch are recorded', async () => {
    const { companyId, key } = await onboard(world.store);
    const process = newStreamProcess();
    const lines: string[] = [];
    const Records = [notice(companyId), unreadable(companyId), notice(companyId)];
    const run = () => recordKeyNotices.withEnvironment({ ...environment(lines), ...process })({ Records }, undefined);
    expect(await run()).toEqual({ batchItemFailures: [] });
    expect(await typesOf(key.apiKey)).toEqual(['api_key.expiring', 'api_key.expiring']);
    expect(process.setAside).toMatchObject([
      { consumer: 'recordKeyNotices', keys: { companyId: { S: companyId } }, error: expect.stringMatching(/./) },
    ]);
    expect(lines.map((line) => z.parse(recordedEvents, JSON.parse(line)))).toMatchObject([
      { level: 'ERROR', outcome: 'set-aside' },
      { companyId, events: 2, outcome: 'recorded' },
    ]);
    // Delivered again, as after a failure of another record in the batch.
    await run();
    expect([process.setAside.length, notices.length]).toEqual([1, 2]);
  });

  test('because the store refuses its event is set aside for its company; all other events are recorded', async () => {
    const [first, second] = [await onboard(world.store), await onboard(world.store)];
    const process = newStreamProcess();
    const poison = notice(first.companyId);
    const Records = [notice(first.companyId), poison, notice(second.companyId), notice(first.companyId)];
    const poisonKey = String(poison.dynamodb.NewImage?.keyId?.S);
    const store = refusingIf(world.store, (command) => JSON.stringify(command).includes(`"${poisonKey}"`));
    const run = recordKeyNotices.withEnvironment({ ...environment(), ...process, store });
    expect(await run({ Records }, undefined)).toEqual({ batchItemFailures: [] });
    expect((await typesOf(first.key.apiKey)).length).toBe(2);
    expect((await typesOf(second.key.apiKey)).length).toBe(1);
    expect(process.setAside).toMatchObject([
      { recordId: poison.eventID, companyId: first.companyId, error: expect.stringContaining('ValidationException') },
    ]);
  });

  test('because the bus refuses its notice is set aside, and operators get the other notices', async () => {
    const { companyId, key } = await onboard(world.store);
    const process = newStreamProcess();
    const poison = notice(companyId);
    const putOnBus = async (_bus: BusName, events: readonly BusEvent[]) => {
      if (JSON.stringify(events).includes(`"${poison.dynamodb.NewImage?.keyId?.S}"`)) throw lasting('MalformedDetail');
      notices.push(...events);
    };
    const run = recordKeyNotices.withEnvironment({ ...environment(), ...process, putOnBus });
    expect(await run({ Records: [notice(companyId), poison] }, undefined)).toEqual({ batchItemFailures: [] });
    expect((await typesOf(key.apiKey)).length).toBe(2);
    expect([notices.length, process.setAside.length]).toEqual([1, 1]);
  });
});

/** Returns an error of AWS for a request that it will never accept. */
const lasting = (name: string) =>
  Object.assign(new Error('That cannot be.'), { name, $metadata: { httpStatusCode: 400 } });

const refusingIf = (store: Store, isRefused: (input: object) => boolean): Store => ({
  ...store,
  send: ((command: { readonly input: object }, options: never) =>
    isRefused(command.input)
      ? Promise.reject(lasting('ValidationException'))
      : store.send(command as never, options)) as Store['send'],
});

describe('operators', () => {
  const handlers = { recordKeyNotices, recordWebhookEvents };
  const disabling = (webhook: Webhook) => {
    const disabled = { state: 'disabled', disabledAtMs: startMs - 1000, disabledBecause: 'gone' } as const;
    return companyRecord(++records, toWebhookItem(webhook), toWebhookItem({ ...webhook, ...disabled }));
  };

  test.each(['recordKeyNotices', 'recordWebhookEvents'] as const)(
    'get from %s, on the bus of notices, what is already in the feed',
    async (name) => {
      const { companyId, key } = await onboard(world.store);
      const webhook = await putWebhook(companyId, { state: 'enabled' });
      const record = name === 'recordKeyNotices' ? notice(companyId) : disabling(webhook);
      const inFeed: string[][] = [];
      const buses: BusName[] = [];
      const putOnBus = async (bus: BusName, events: readonly BusEvent[]) => {
        buses.push(bus);
        notices.push(...events);
        inFeed.push(await typesOf(key.apiKey));
      };
      const outcome = await handlers[name].withEnvironment({ ...environment(), putOnBus })(
        { Records: [record] },
        undefined,
      );
      expect(outcome).toEqual({ batchItemFailures: [] });
      const [type, detailType] =
        name === 'recordKeyNotices'
          ? ['api_key.expiring', 'API key expiring']
          : ['webhook.disabled', 'Webhook disabled'];
      expect([buses, inFeed]).toEqual([['notices'], [[type]]]);
      expect(notices).toMatchObject([{ detailType, detail: { companyId } }]);
    },
  );

  test('get the notice at redelivery if the bus refused it; no event is doubled, no message is sent before', async () => {
    const { companyId, key } = await onboard(world.store);
    const { webhookId } = await putWebhook(companyId, { state: 'enabled' });
    const Records = [notice(companyId)];
    const lines: string[] = [];
    const refusing = { ...environment(lines), putOnBus: () => Promise.reject(unavailable('The bus is down.')) };
    for (let delivery = 0; delivery < 2; delivery++)
      expect(await recordKeyNotices.withEnvironment(refusing)({ Records }, undefined)).toEqual({
        batchItemFailures: [{ itemIdentifier: Records[0]?.dynamodb.SequenceNumber }],
      });
    expect([await typesOf(key.apiKey), queued]).toEqual([['api_key.expiring'], []]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      outcome: 'failed',
      error: 'ServiceUnavailable: The bus is down.',
    });

    const { batchItemFailures } = await recordKeyNotices.withEnvironment(environment(lines))({ Records }, undefined);
    expect(batchItemFailures).toEqual([]);
    expect([await typesOf(key.apiKey), queued]).toEqual([['api_key.expiring'], [webhookId]]);
    expect(notices).toMatchObject([{ detail: { noticeId: `${Records[0]?.dynamodb.NewImage?.sk?.S}` } }]);
  });

  test('get no notice of an event that was not appended to the feed', async () => {
    const { companyId } = await onboard(world.store);
    injectFault(world, ({ action }) => (action === 'TransactWriteItems' ? 'deny' : undefined));
    const { batchItemFailures } = await recordKeyNotices.withEnvironment(environment())(
      { Records: [notice(companyId)] },
      undefined,
    );
    world.proxy.begin();
    expect([batchItemFailures.length, notices]).toEqual([1, []]);
  });

  test('get one company’s notices even if the bus refuses another company’s', async () => {
    const [first, second] = [await onboard(world.store), await onboard(world.store)];
    const Records = [notice(first.companyId), notice(second.companyId)];
    const putOnBus = async (_bus: BusName, events: readonly BusEvent[]) => {
      if (JSON.stringify(events).includes(`"${second.companyId}"`)) throw unavailable();
      notices.push(...events);
    };
    const { batchItemFailures } = await recordKeyNotices.withEnvironment({ ...environment(), putOnBus })(
      { Records },
      undefined,
    );
    expect(batchItemFailures).toEqual([{ itemIdentifier: Records[1]?.dynamodb.SequenceNumber }]);
    expect(notices).toMatchObject([{ detail: { companyId: first.companyId } }]);
  });
});

test('a disabled webhook is one event and one notice; its messages are neither', async () => {
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
  await recordWebhookEvents.withEnvironment(environment())({ Records }, undefined);
  const { items } = (await call('listEvents', { apiKey: key.apiKey })).body;
  expect(items).toMatchObject([
    {
      type: 'webhook.disabled',
      at: '2036-03-10T11:59:59Z',
      resource: `/webhooks/${webhook.webhookId}`,
      data: { webhookId: webhook.webhookId, state: 'disabled' },
    },
  ]);
  expect(notices).toMatchObject([{ detailType: 'Webhook disabled', detail: { webhookId: webhook.webhookId } }]);
});
