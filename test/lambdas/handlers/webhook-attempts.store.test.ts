import { beforeAll, describe, expect, test } from 'vitest';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { call, registerWebhook } from '../../support/call.ts';
import { deliver, putWebhook, startReceiver } from '../../support/webhooks.ts';
import { onboard, openWorld, startMs, webhookSecretOf } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  world = await openWorld();
  receiver = await startReceiver();
});

/** Far enough apart that no call exceeds the rate limit. */
const atMinute = (minute: number) => startMs + minute * 60_000;

const onboardWithHost = () => onboard(world.store, { webhookHosts: ['acme.example'] });

/** Returns a webhook of a new company, and the common options of its calls. */
const withWebhook = async () => {
  const { companyId, key } = await onboardWithHost();
  const webhook = await registerWebhook(world.store, companyId);
  return { webhook, asOwn: { apiKey: key.apiKey, pathParameters: { webhookId: webhook.webhookId } } };
};

describe('listWebhookAttempts', () => {
  const read = async (asOwn: object, nowMs = startMs) => (await call('listWebhookAttempts', { ...asOwn, nowMs })).body;

  test('shows the attempts, and when a failed message is sent again, but no code, secret or URL', async () => {
    const { webhook, asOwn } = await withWebhook();
    expect(await read(asOwn)).toEqual({ items: [], nextCursor: null });
    receiver.answerWith((outgoing) => outgoing.writeHead(503).end('the body of the response'));
    for (const nowMs of [startMs, startMs + 5000]) await deliver(webhook, { network: receiver.network, nowMs });
    const body = await read(asOwn, atMinute(1));
    const [{ messageId }] = body.items;
    expect(messageId).toBe(receiver.arrived.at(-1)?.headers['webhook-id']);
    const common = { type: 'webhook.verify', messageId, status: 503, fault: null, durationMs: expect.any(Number) };
    expect(body).toEqual({
      items: [
        { at: toTimestamp(startMs + 5000), ...common, nextAttemptAt: toTimestamp(startMs + 65_000) },
        { at: toTimestamp(startMs), ...common, nextAttemptAt: null },
      ],
      nextCursor: null,
    });
    const secret = await webhookSecretOf(webhook, 1);
    for (const hidden of [webhook.code, secret, 'heating', 'the body'])
      expect(JSON.stringify(body)).not.toContain(hidden);
  });

  test('shows the fault as the webhook does, and null as the next attempt if the message was given up', async () => {
    const { companyId, key } = await onboard(world.store, { webhookHosts: [] });
    const { webhookId } = await putWebhook(companyId, { failures: 28, failedSinceMs: startMs - 72 * 3_600_000 });
    const asOwn = { apiKey: key.apiKey, pathParameters: { webhookId } };
    await deliver({ companyId, webhookId }, { network: receiver.network });
    const { items } = await read(asOwn);
    const { lastAttempt } = (await call('getWebhook', asOwn)).body;
    expect(lastAttempt).toMatchObject({ status: null, fault: 'host-not-registered' });
    expect(items).toEqual([
      { ...lastAttempt, type: 'events.available', messageId: expect.any(String), nextAttemptAt: null },
    ]);
  });

  test('shows nothing of a deleted webhook, and nothing of a webhook of another company', async () => {
    const { webhook, asOwn } = await withWebhook();
    receiver.answerWith(204);
    await deliver(webhook, { network: receiver.network });
    expect((await read(asOwn)).items).toHaveLength(1);
    const other = await onboardWithHost();
    expect((await read({ ...asOwn, apiKey: other.key.apiKey })).code).toBe('webhook-not-found');
    await call('deleteWebhook', asOwn);
    expect((await read(asOwn, atMinute(1))).code).toBe('webhook-not-found');
  });
});
