import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Webhook as Verifier } from 'standardwebhooks';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { consumers } from '../../../lambdas/api/background-functions.ts';
import { oweMessages } from '../../../lambdas/data/webhooks/deliveries.ts';
import { owedFrom, webhookKey } from '../../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook, WebhookSecretOf } from '../../../lambdas/domain/webhook.ts';
import { heldMs } from '../../../lambdas/domain/webhook-message.ts';
import { consistencyOf, overtakenBy, setAttributes, usedActions } from '../../support/store.ts';
import { deliver, deliverBatch, receiverHost, startReceiver, stored, webhookOf } from '../../support/webhooks.ts';
import { openWorld, startMs, webhookSecretOf } from '../../support/world.ts';

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
/** Returns what the receiver got, as read by a verifier with this clock. */
const verified = async (webhook: Webhook, version = 1) => {
  vi.useFakeTimers({ now: startMs, toFake: ['Date'] });
  try {
    const { body, headers } = receiver.arrived.at(-1) ?? {};
    return new Verifier(await webhookSecretOf(webhook, version)).verify(body ?? '', headers as Record<string, string>);
  } finally {
    vi.useRealTimers();
  }
};

describe('a webhook that is owed a message', () => {
  test('gets it, signed, and is owed nothing more; all table actions of the consumer’s row are used', async () => {
    const webhook = await webhookOf({ failures: 2, failedSinceMs: startMs - 9 });
    world.proxy.begin();
    const { logged, queued } = await send(webhook);
    const granted = Object.entries(consumers.sendWebhookMessage.tableActions).flatMap(([table, actions]) =>
      actions.map((action) => `${action} on ${table}`),
    );
    expect(usedActions(world.store, world.proxy.exchanges)).toEqual(granted.toSorted());
    expect(logged).toMatchObject({
      outcome: 'delivered',
      type: 'events.available',
      status: 204,
      fault: null,
      failures: 2,
    });
    expect(queued).toEqual([]);
    expect(await verified(webhook)).toEqual({
      type: 'events.available',
      timestamp: '2036-03-10T12:00:00Z',
      data: { webhookId: webhook.webhookId },
    });
    const after = await stored(webhook);
    expect(after).toMatchObject({ state: 'enabled', failures: 0, lastSentAtMs: startMs });
    expect(after?.lastAttempt).toEqual({ atMs: startMs, status: 204, fault: null, durationMs: expect.any(Number) });
    for (const name of ['due', 'dueAt', 'leasedUntilMs', 'failedSinceMs']) expect(after).not.toHaveProperty(name);
    expect((await send(webhook, startMs + 5000)).outcome).toBe('not-owed');
    expect(receiver.arrived).toHaveLength(1);
  });

  test('gets its code while it is unverified and the code is valid', async () => {
    const webhook = await webhookOf({ state: 'unverified' });
    expect((await send(webhook)).logged).toMatchObject({ outcome: 'delivered', type: 'webhook.verify' });
    expect(await verified(webhook)).toMatchObject({ data: { code: 'c0de' } });
    const late = await webhookOf({ state: 'unverified', codeExpiresAtMs: startMs });
    expect((await send(late)).outcome).toBe('dropped');
    expect(await stored(late)).not.toHaveProperty('due');
  });

  test('also gets a signature with its previous secret during the overlap', async () => {
    const webhook = await webhookOf({ secretVersion: 2, previousSecretUntilMs: startMs + 1 });
    await send(webhook);
    for (const version of [1, 2]) await expect(verified(webhook, version)).resolves.toBeDefined();
    const later = await webhookOf({ secretVersion: 2, previousSecretUntilMs: startMs });
    await send(later);
    await expect(verified(later, 1)).rejects.toThrow('No matching signature');
  });

  test('has no URL and no secret in its log line', async () => {
    const webhook = await webhookOf({ url: `https://${receiverHost}/heating?token=abc` });
    const { line } = await send(webhook);
    for (const hidden of ['heating', 'token', receiverHost, await webhookSecretOf(webhook, 1), 'c0de'])
      expect(line).not.toContain(hidden);
  });
});

describe('a batch', () => {
  test('is sent in parallel: a receiver that answers last does not delay the others', async () => {
    const { batchSize } = consumers.sendWebhookMessage;
    const late = await webhookOf({ url: `https://${receiverHost}/late` });
    const others = await Promise.all(Array.from({ length: batchSize - 1 }, () => webhookOf()));
    let answerLate: () => void = () => undefined;
    receiver.answerWith((outgoing, { path }) => {
      const answer = () => outgoing.writeHead(204).end();
      if (path === '/late') answerLate = answer;
      else answer();
      if (receiver.arrived.length === batchSize) answerLate();
    });
    const { lines } = await deliverBatch([late, ...others], { network: receiver.network });
    expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(lines.map(() => 'delivered'));
  });
});

describe('a message that fails', () => {
  test('is owed again 5 s later', async () => {
    receiver.answerWith(500);
    const webhook = await webhookOf();
    const { logged, queued } = await send(webhook);
    expect(logged).toMatchObject({ outcome: 'refused', status: 500 });
    expect(queued).toEqual([{ webhookId: webhook.webhookId, delayMs: 5000 }]);
    expect(await stored(webhook)).toMatchObject({
      state: 'enabled',
      failures: 1,
      failedSinceMs: startMs,
      dueAt: new Date(startMs + 5000).toISOString(),
      lastAttempt: { status: 500 },
    });
    expect((await send(webhook, startMs + 4999)).outcome).toBe('not-due');
    // New requests do not change the time of its next attempt.
    expect(await oweMessages(world.store, webhook.companyId, startMs + 10)).toEqual([]);
    expect(await stored(webhook)).toMatchObject({ asked: 2, dueAt: new Date(startMs + 5000).toISOString() });
  });

  test('is owed again when Retry-After asks for it, after an hour at most', async () => {
    receiver.answerWith((outgoing) => outgoing.writeHead(429, { 'retry-after': '7200' }).end());
    const webhook = await webhookOf();
    const { queued } = await send(webhook);
    expect(await stored(webhook)).toMatchObject({ dueAt: new Date(startMs + 3_600_000).toISOString() });
    // Longer than a queue can delay: the sweeper queues it.
    expect(queued).toEqual([]);
  });

  test('is not sent to a host that is no longer registered, which counts as a failure', async () => {
    const webhook = await webhookOf({}, { webhookHosts: ['other.example'] });
    expect((await send(webhook)).logged).toMatchObject({
      outcome: 'refused',
      status: null,
      fault: 'host-not-registered',
    });
    expect(receiver.arrived).toEqual([]);
  });

  test('disables a webhook whose receiver answers 410', async () => {
    receiver.answerWith(410);
    const webhook = await webhookOf();
    expect((await send(webhook)).outcome).toBe('disabled');
    const after = await stored(webhook);
    expect(after).toMatchObject({ state: 'disabled', disabledBecause: 'gone', disabledAtMs: startMs });
    expect(after).not.toHaveProperty('due');
    expect(await oweMessages(world.store, webhook.companyId, startMs)).toEqual([]);
  });

  test('until it is given up disables the webhook, and is not retried', async () => {
    receiver.answerWith(500);
    const webhook = await webhookOf({ failures: 28, failedSinceMs: startMs - 72 * 3_600_000 });
    expect((await send(webhook)).outcome).toBe('disabled');
    expect(await stored(webhook)).toMatchObject({ state: 'disabled', disabledBecause: 'unreachable' });
    expect((await send(webhook, startMs + 86_400_000)).outcome).toBe('not-owed');
  });

  test('through a fault of ours leaves the message owed and counts no failure', async () => {
    const webhook = await webhookOf();
    const secretOf = () => Promise.reject(new Error('KMS is down.'));
    const { logged } = await deliver(webhook, { network: receiver.network, secretOf });
    expect(logged).toMatchObject({ level: 'ERROR', outcome: 'failed', error: expect.stringContaining('KMS is down.') });
    expect(await stored(webhook)).toMatchObject({ failures: 0, due: webhook.due });
    expect((await send(webhook, startMs + 30_000)).outcome).toBe('delivered');
  });
});

describe('a contract', () => {
  test('that is suspended holds messages back, and counts no failure', async () => {
    const webhook = await webhookOf({ failures: 3, failedSinceMs: startMs - 1 }, { state: 'suspended' });
    expect((await send(webhook)).outcome).toBe('held');
    expect(await stored(webhook)).toMatchObject({
      state: 'enabled',
      failures: 3,
      failedSinceMs: startMs - 1,
      dueAt: new Date(startMs + heldMs).toISOString(),
    });
    expect(receiver.arrived).toEqual([]);
  });

  test('that has ended allows one last message', async () => {
    const webhook = await webhookOf({}, { state: 'ended' });
    expect((await send(webhook)).logged).toMatchObject({ outcome: 'disabled', status: 204 });
    expect(await stored(webhook)).toMatchObject({ state: 'disabled', disabledBecause: 'contract-ended' });
    expect(receiver.arrived).toHaveLength(1);
  });

  test('that has ended allows no code', async () => {
    const webhook = await webhookOf({ state: 'unverified' }, { state: 'ended' });
    expect((await send(webhook)).outcome).toBe('disabled');
    expect(receiver.arrived).toEqual([]);
  });

  test('is read with strong consistency', async () => {
    const webhook = await webhookOf();
    expect(await consistencyOf(() => send(webhook))).toContain(true);
  });
});

describe('a lease', () => {
  test('is acquired by exactly one of any number of concurrent attempts', async () => {
    const webhook = await webhookOf();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => send(webhook).then(({ outcome }) => outcome)));
    expect(outcomes.filter((each) => each === 'delivered')).toHaveLength(1);
    expect(receiver.arrived).toHaveLength(1);
  });

  test('cannot be acquired by another attempt until it expires', async () => {
    const webhook = await webhookOf({ leasedUntilMs: startMs + 1 });
    expect((await send(webhook)).outcome).toBe('leased');
    expect((await send(webhook, startMs + 1)).outcome).toBe('delivered');
  });

  test('is not acquired within a second of the last message: the call is queued again', async () => {
    const webhook = await webhookOf({ lastSentAtMs: startMs - 999 });
    const { outcome, queued } = await send(webhook);
    expect([outcome, queued]).toEqual(['soon', [{ webhookId: webhook.webhookId, delayMs: 1000 }]]);
    expect((await send(webhook, startMs + 1)).outcome).toBe('delivered');
  });

  // The first message leaves long after the lease, the second one at once.
  test.each([
    { secretMs: 0, connectMs: 0, answerMs: 0, waitMs: 1000 },
    { secretMs: 384, connectMs: 0, answerMs: 0, waitMs: 1000 },
    { secretMs: 200, connectMs: 4000, answerMs: 400, waitMs: 600 },
    { secretMs: 0, connectMs: 900, answerMs: 4000, waitMs: 0 },
  ])('keeps two messages a second apart: %j', async ({ secretMs, connectMs, answerMs, waitMs }) => {
    let nowMs = startMs;
    const sentAtMs: number[] = [];
    const webhook = await webhookOf();
    const sendWith = (secretOf: WebhookSecretOf, network = receiver.network) =>
      deliver(webhook, { network, secretOf, processTimeMs: () => nowMs });
    receiver.answerWith((outgoing) => {
      sentAtMs.push(nowMs);
      nowMs += answerMs;
      void oweMessages(world.store, webhook.companyId, nowMs).then(() => outgoing.writeHead(204).end());
    });
    const slowSecret: WebhookSecretOf = async (id, version) => {
      nowMs += secretMs;
      return webhookSecretOf(id, version);
    };
    const resolve = async (hostName: string) => {
      nowMs += connectMs;
      return receiver.network.resolve(hostName);
    };
    const { queued } = await sendWith(slowSecret, { ...receiver.network, resolve });
    expect(queued).toEqual([{ webhookId: webhook.webhookId, delayMs: waitMs }]);
    receiver.answerWith((outgoing) => {
      sentAtMs.push(nowMs);
      outgoing.writeHead(204).end();
    });
    if (waitMs > 0) {
      nowMs += waitMs - 1;
      expect((await sendWith(webhookSecretOf)).outcome).toBe('not-due');
      nowMs++;
    }
    expect((await sendWith(webhookSecretOf)).outcome).toBe('delivered');
    const [first = 0, second = 0] = sentAtMs;
    expect(second - first).toBe(Math.max(1000, answerMs));
  });

  test('of a call that sent nothing delays no message', async () => {
    const webhook = await webhookOf({ state: 'unverified', codeExpiresAtMs: startMs });
    expect((await send(webhook)).outcome).toBe('dropped');
    await set(webhook, { ...owedFrom(webhook.webhookId, startMs + 1), codeExpiresAtMs: startMs + 1000 });
    expect((await send(webhook, startMs + 1)).outcome).toBe('delivered');
  });
});

describe('during a message', () => {
  const whileSending = async (webhook: Webhook, act: () => Promise<unknown>) => {
    const acts: Promise<unknown>[] = [];
    receiver.answerWith((outgoing) => {
      const acting = act();
      acts.push(acting);
      void Promise.allSettled([acting]).then(() => outgoing.writeHead(204).end());
    });
    const sent = await send(webhook);
    await Promise.all(acts);
    return sent;
  };

  test('a requested message is owed a second later', async () => {
    const webhook = await webhookOf();
    const { outcome, queued } = await whileSending(webhook, async () => {
      expect(await oweMessages(world.store, webhook.companyId, startMs)).toHaveLength(1);
    });
    expect(outcome).toBe('delivered');
    expect(queued).toEqual([{ webhookId: webhook.webhookId, delayMs: 1000 }]);
    expect(await stored(webhook)).toMatchObject({ asked: 2, dueAt: new Date(startMs + 1000).toISOString() });
    receiver.answerWith(204);
    expect((await send(webhook, startMs + 1000)).outcome).toBe('delivered');
    const ids = receiver.arrived.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(2);
  });

  test('a message that is requested between the answer and its storage is also owed', async () => {
    const webhook = await webhookOf();
    const asking = () => oweMessages(world.store, webhook.companyId, startMs);
    const store = overtakenBy(world.store, asking, 2, UpdateCommand);
    const { outcome } = await deliver(webhook, { network: receiver.network, store });
    expect(outcome).toBe('delivered');
    expect(await stored(webhook)).toMatchObject({ due: webhook.due, asked: 2 });
  });

  test('a deleted webhook is not created again', async () => {
    const webhook = await webhookOf();
    const { DeleteCommand } = await import('@aws-sdk/lib-dynamodb');
    const { companyId, webhookId } = webhook;
    const deletion = new DeleteCommand({
      TableName: world.store.tableName('Webhooks'),
      Key: webhookKey(companyId, webhookId),
    });
    expect((await whileSending(webhook, () => world.store.send(deletion))).outcome).toBe('lost');
    expect(await stored(webhook)).toBeUndefined();
  });

  test('a webhook that an operator disables stays disabled', async () => {
    const webhook = await webhookOf();
    await whileSending(webhook, () => set(webhook, { state: 'disabled' }));
    const after = await stored(webhook);
    expect(after).toMatchObject({ state: 'disabled' });
    expect(after).not.toHaveProperty('due');
  });

  test('a webhook that gets a new code is owed that code', async () => {
    const webhook = await webhookOf({ state: 'unverified' });
    await whileSending(webhook, () => set(webhook, { code: 'new' }));
    expect(await stored(webhook)).toMatchObject({ code: 'new', dueAt: new Date(startMs + 1000).toISOString() });
  });

  test('a sender that lost the lease stores nothing', async () => {
    const webhook = await webhookOf();
    const { outcome } = await whileSending(webhook, () => set(webhook, { leasedUntilMs: startMs + 60_000 }));
    expect(outcome).toBe('lost');
    expect(await stored(webhook)).toMatchObject({ due: webhook.due, leasedUntilMs: startMs + 60_000 });
  });
});
