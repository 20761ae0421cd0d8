import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { readAttempts } from '../../../lambdas/data/webhooks/webhook-attempts.ts';
import { webhookKey } from '../../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook } from '../../../lambdas/domain/webhook.ts';
import { setAttributes } from '../../support/store.ts';
import { deliver, startReceiver, stored, webhookOf } from '../../support/webhooks.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  world = await openWorld();
  receiver = await startReceiver();
});
beforeEach(() => {
  receiver.answerWith(204);
  receiver.arrived.length = 0;
});

const send = (webhook: Webhook, nowMs = startMs) => deliver(webhook, { network: receiver.network, nowMs });
const set = ({ companyId, webhookId }: Webhook, values: Partial<Webhook>) =>
  setAttributes(world.store, 'Webhooks', webhookKey(companyId, webhookId), values);

describe('the list of attempts', () => {
  const listed = async (webhook: Webhook) =>
    (await readAttempts(world.store, webhook, { nowMs: startMs, limit: 100 })).attempts;

  test('has each attempt with the id that the receiver got, but no decision to send nothing', async () => {
    const webhook = await webhookOf();
    await send(webhook);
    const { lastAttempt } = (await stored(webhook)) ?? {};
    const { 'webhook-id': messageId } = receiver.arrived.at(-1)?.headers ?? {};
    expect(await listed(webhook)).toMatchObject([{ type: 'events.available', messageId, ...lastAttempt }]);
    const held = await webhookOf({}, { state: 'suspended' });
    expect((await send(held)).outcome).toBe('held');
    expect(await listed(held)).toEqual([]);
  });

  test('has an attempt whose sender lost the lease', async () => {
    const webhook = await webhookOf();
    receiver.answerWith((outgoing) => {
      void set(webhook, { leasedUntilMs: startMs + 60_000 }).then(() => outgoing.writeHead(204).end());
    });
    expect((await send(webhook)).outcome).toBe('lost');
    expect(await listed(webhook)).toMatchObject([{ status: 204 }]);
  });

  test('neither fails nor repeats a message if it cannot be written', async () => {
    const webhook = await webhookOf();
    const store = failingAt(PutCommand);
    const { logged, queued } = await deliver(webhook, { network: receiver.network, store });
    expect(logged).toMatchObject({ level: 'INFO', outcome: 'delivered', unlisted: 'Error: The table is down.' });
    expect(queued).toEqual([]);
    expect(await stored(webhook)).not.toHaveProperty('due');
    expect((await send(webhook, startMs + 5000)).outcome).toBe('not-owed');
    expect([receiver.arrived.length, await listed(webhook)]).toEqual([1, []]);
  });

  /** A store on which all commands of a kind fail. */
  const failingAt = (Kind: typeof PutCommand): Store => ({
    ...world.store,
    send: ((command: object) =>
      command instanceof Kind
        ? Promise.reject(new Error('The table is down.'))
        : world.store.send(command as never)) as Store['send'],
  });
});
