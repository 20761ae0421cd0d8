import { Webhook as Verifier } from 'standardwebhooks';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Webhook } from '../../../lambdas/domain/webhook.ts';
import type { WebhookMessageType } from '../../../lambdas/domain/webhook-message.ts';
import { testWebhook } from '../../../lambdas/webhooks/test-webhook.ts';
import { receiverHost, startReceiver } from '../../support/webhooks.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const webhook: Webhook = {
  companyId: 'acme',
  webhookId: 'wh_1',
  url: `https://${receiverHost}/`,
  state: 'enabled',
  createdAtMs: 0,
  verifiedAtMs: 0,
  secretVersion: 1,
  code: 'c0de',
  codeExpiresAtMs: 0,
  asked: 1,
  failures: 0,
};
const patience = { connectMs: 60_000, totalMs: 60_000 };

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(() => receiver.answerWith(204));

const run = (hosts = [receiverHost], type: WebhookMessageType = 'webhook.test') =>
  testWebhook({ secretOf: async () => secret, network: receiver.network }, webhook, {
    type,
    hosts,
    nowMs: Date.now(),
    limits: patience,
  });

test('a receiver that verifies accepts one message and refuses the other, and no event has to be read', async () => {
  receiver.answerWith((outgoing, { body, headers }) => {
    expect(JSON.parse(body)).toMatchObject({ type: 'webhook.test', data: { webhookId: 'wh_1' } });
    try {
      new Verifier(secret).verify(body, headers as Record<string, string>);
      outgoing.writeHead(204).end();
    } catch {
      outgoing.writeHead(401).end();
    }
  });
  expect(await run()).toEqual({
    rightSignature: { status: 204, fault: null, durationMs: expect.any(Number) },
    wrongSignature: { status: 401, fault: null, durationMs: expect.any(Number) },
    wrongSignatureRefused: true,
  });
});

test.each(['events.available', 'webhook.verify'] as const)(
  'a test of %s sends two messages of this type, and never the code',
  async (type) => {
    const from = receiver.arrived.length;
    await run([receiverHost], type);
    const arrived = receiver.arrived.slice(from).map(({ body }) => JSON.parse(body));
    const code = type === 'webhook.verify' && { code: expect.stringMatching(/^[0-9A-Za-z]{22}$/) };
    const message = { type, timestamp: expect.any(String), data: { webhookId: 'wh_1', ...code } };
    expect(arrived).toEqual([message, message]);
    expect(JSON.stringify(arrived)).not.toContain(webhook.code);
  },
);

test('a receiver that accepts everything is detected', async () => {
  expect(await run()).toMatchObject({ rightSignature: { status: 204 }, wrongSignatureRefused: false });
});

test('a receiver that does not answer shows nothing about its check', async () => {
  receiver.answerWith((_, __, incoming) => incoming.socket.destroy());
  expect(await run()).toMatchObject({ rightSignature: { fault: 'no-answer' }, wrongSignatureRefused: null });
});

test('a host that is no longer registered gets no request', async () => {
  const before = receiver.arrived.length;
  expect(await run(['other.example'])).toMatchObject({ wrongSignature: { fault: 'host-not-registered' } });
  expect(receiver.arrived).toHaveLength(before);
});
