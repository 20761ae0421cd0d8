import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxWebhooksPerCompany, secretOverlapHours } from '../../../lambdas/api/limits.ts';
import { webhookMessageTypes } from '../../../lambdas/api/schemas/webhook.ts';
import { putContract } from '../../../lambdas/data/contracts/contracts.ts';
import { findWebhook, owedFrom } from '../../../lambdas/data/webhooks/webhooks.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import type { WebhookId } from '../../../lambdas/domain/webhook.ts';
import { call, enableWebhook, registerWebhook } from '../../support/call.ts';
import { readAudit } from '../../support/store.ts';
import { type Arrived, startReceiver } from '../../support/webhooks.ts';
import { onboard, openWorld, startMs, webhookSecretOf } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  world = await openWorld();
  receiver = await startReceiver();
});

/** Far enough apart that no call exceeds the rate limit. */
const atMinute = (minute: number) => startMs + minute * 60_000;

const url = 'https://hooks.acme.example/heating';
const json = { 'content-type': ['application/json'] };
const onboardWithHost = () => onboard(world.store, { webhookHosts: ['acme.example'] });

/** Returns a company with a webhook, and the common options of its calls. */
const withWebhook = async (register = registerWebhook) => {
  const company = await onboardWithHost();
  const webhook = await register(world.store, company.companyId);
  const { webhookId } = webhook;
  return { ...company, webhook, asOwn: { apiKey: company.key.apiKey, pathParameters: { webhookId } } };
};

describe('createWebhook', () => {
  test('shows a new webhook with its secret, and sends its code', async () => {
    const { companyId, key } = await onboardWithHost();
    const queued: WebhookId[] = [];
    const environment = {
      ...world.environment,
      queueDelivery: async (webhook: WebhookId) => void queued.push(webhook),
    };
    const created = await call('createWebhook', { apiKey: key.apiKey, headers: json, body: { url }, environment });

    expect(created.status).toBe(201);
    const { webhookId } = created.body;
    expect(created.body).toEqual({
      webhookId,
      url,
      state: 'unverified',
      createdAt: toTimestamp(startMs),
      verifiedAt: null,
      disabledAt: null,
      disabledBecause: null,
      previousSecretUntil: null,
      failingSince: null,
      lastAttempt: null,
      secret: await webhookSecretOf({ companyId, webhookId }, 1),
    });
    expect(created.headers.location).toBe(`/v1/webhooks/${webhookId}`);
    expect(queued).toEqual([{ companyId, webhookId }]);
    expect((await readAudit(world.store, companyId)).filter(({ operation }) => operation === 'createWebhook')).toEqual([
      expect.objectContaining({ webhookId, actorKeyId: key.keyId, requestId: created.headers['x-request-id'] }),
    ]);
  });

  test('creates it even if the queue is down: the sweeper sends the code', async () => {
    const { companyId, key } = await onboardWithHost();
    const environment = { ...world.environment, queueDelivery: () => Promise.reject(new Error('down')) };
    const { body } = await call('createWebhook', { apiKey: key.apiKey, headers: json, body: { url }, environment });
    expect(await findWebhook(world.store, companyId, body.webhookId)).toMatchObject(owedFrom(body.webhookId, startMs));
  });

  test('creates nothing if KMS is down', async () => {
    const { companyId, key } = await onboardWithHost();
    const down = Object.assign(new Error('down'), { name: 'TimeoutError' });
    const environment = { ...world.environment, secretOf: () => Promise.reject(down) };
    const refused = await call('createWebhook', { apiKey: key.apiKey, headers: json, body: { url }, environment });
    expect(refused.body.code).toBe('service-unavailable');
    expect((await call('listWebhooks', { apiKey: key.apiKey })).body.items).toEqual([]);
    expect((await readAudit(world.store, companyId)).some(({ operation }) => operation === 'createWebhook')).toBe(
      false,
    );
  });

  test.each([
    ['http://hooks.acme.example/', expect.stringContaining('Expected a URL that begins with https://')],
    ['https://127.0.0.1/', expect.stringContaining('Expected a host name')],
    ['https://hooks.acme.example:8443/', expect.stringContaining('Expected port 443')],
    ['https://user@hooks.acme.example/', expect.stringContaining('without a user name')],
  ])('refuses %s with what was expected', async (refusedUrl, detail) => {
    const { key } = await onboardWithHost();
    const { body } = await call('createWebhook', { apiKey: key.apiKey, headers: json, body: { url: refusedUrl } });
    expect(body).toMatchObject({ code: 'invalid-request', errors: [{ pointer: '/body/url', detail }] });
  });

  test('refuses a host that is not registered, and lists the registered ones', async () => {
    const { key } = await onboardWithHost();
    const elsewhere = { url: 'https://acme.example.evil.test/' };
    const { body } = await call('createWebhook', { apiKey: key.apiKey, headers: json, body: elsewhere });
    expect(body).toMatchObject({ code: 'webhook-host-not-registered', registeredHosts: ['acme.example'] });
    const { key: other } = await onboard(world.store);
    const none = await call('createWebhook', { apiKey: other.apiKey, headers: json, body: { url } });
    expect(none.body).toMatchObject({ code: 'webhook-host-not-registered', registeredHosts: [] });
  });

  test('refuses a company whose contracts have all ended, which would get one last message', async () => {
    const { companyId, key, contract } = await onboard(world.store, { webhookHosts: ['acme.example'], state: 'ended' });
    await putContract(world.store, { ...contract, userId: 'second' });
    const request = { apiKey: key.apiKey, headers: json, body: { url } };
    expect((await call('createWebhook', request)).body.code).toBe('contract-not-active');
    expect((await readAudit(world.store, companyId)).some(({ operation }) => operation === 'createWebhook')).toBe(
      false,
    );
    await putContract(world.store, { ...contract, userId: 'third', state: 'active' });
    expect((await call('createWebhook', request)).status).toBe(201);
  });

  test('refuses a second webhook of one URL with the id of the first, whose secret can then be rotated', async () => {
    const { companyId, key } = await onboardWithHost();
    const create = (minute: number) =>
      call('createWebhook', { apiKey: key.apiKey, headers: json, body: { url }, nowMs: atMinute(minute) });
    const { webhookId } = (await create(0)).body;
    const repeat = await create(1);
    expect(repeat.status).toBe(409);
    expect(repeat.body).toMatchObject({ code: 'webhook-exists', webhookId });
    const { items } = (await call('listWebhooks', { apiKey: key.apiKey, nowMs: atMinute(2) })).body;
    expect(items).toMatchObject([{ webhookId }]);
    const asOwn = { apiKey: key.apiKey, pathParameters: { webhookId } };
    expect((await call('rotateWebhookSecret', { ...asOwn, nowMs: atMinute(3) })).body).toMatchObject({
      secret: await webhookSecretOf({ companyId, webhookId }, 2),
    });
    expect((await call('deleteWebhook', { ...asOwn, nowMs: atMinute(4) })).status).toBe(204);
    expect((await create(5)).status).toBe(201);
  });

  test('refuses a fourth webhook', async () => {
    const { key } = await onboardWithHost();
    const codes = [];
    for (let minute = 0; minute <= maxWebhooksPerCompany; minute++) {
      const body = { url: `${url}/${minute}` };
      const { code } = (
        await call('createWebhook', { apiKey: key.apiKey, headers: json, body, nowMs: atMinute(minute) })
      ).body;
      codes.push(code);
    }
    expect(codes).toEqual([undefined, undefined, undefined, 'webhook-limit-reached']);
  });
});

test('webhooks are listed in pages and read, without secret and code', async () => {
  const { companyId, key, webhook, asOwn } = await withWebhook();
  const other = await registerWebhook(world.store, companyId, `${url}/another`);
  const first = await call('listWebhooks', { apiKey: key.apiKey, query: { limit: ['1'] } });
  const cursor = { cursor: [first.body.nextCursor] };
  const second = await call('listWebhooks', { apiKey: key.apiKey, query: cursor, nowMs: atMinute(1) });
  const items = [...first.body.items, ...second.body.items];
  expect(items.map(({ webhookId }) => webhookId)).toEqual([webhook.webhookId, other.webhookId].toSorted());
  expect(second.body.nextCursor).toBeNull();

  const read = await call('getWebhook', { ...asOwn, nowMs: atMinute(2) });
  expect(items).toContainEqual(read.body);
  for (const text of [webhook.code, await webhookSecretOf(webhook, 1)])
    expect(JSON.stringify([items, read.body])).not.toContain(text);
});

test('a deleted webhook is gone', async () => {
  const { asOwn } = await withWebhook();
  expect((await call('deleteWebhook', asOwn)).status).toBe(204);
  for (const [minute, operationId] of (['getWebhook', 'deleteWebhook', 'testWebhook'] as const).entries())
    expect((await call(operationId, { ...asOwn, nowMs: atMinute(minute) })).body.code).toBe('webhook-not-found');
});

describe('verifyWebhook', () => {
  test('enables the webhook whose code is returned, and sends it a message', async () => {
    const { webhook, asOwn } = await withWebhook();
    const queued: string[] = [];
    const environment = {
      ...world.environment,
      queueDelivery: async ({ webhookId }: WebhookId) => void queued.push(webhookId),
    };
    const verify = (code: string | null, minute: number) =>
      call('verifyWebhook', { ...asOwn, headers: json, body: { code }, nowMs: atMinute(minute), environment });
    expect((await verify('guessed', 0)).body.code).toBe('webhook-code-mismatch');
    expect((await verify('no-code!', 1)).body).toMatchObject({ errors: [{ pointer: '/body/code' }] });
    expect(queued).toEqual([]);
    const enabled = { state: 'enabled', verifiedAt: toTimestamp(atMinute(2)) };
    expect((await verify(webhook.code, 2)).body).toMatchObject(enabled);
    expect((await verify(webhook.code, 3)).body).toMatchObject(enabled);
    expect(queued).toEqual([webhook.webhookId]);
    expect((await call('getWebhook', { ...asOwn, nowMs: atMinute(4) })).body).toMatchObject(enabled);
  });

  test('without a code sends a new one to the URL, and shows it nowhere else', async () => {
    const { webhook, asOwn } = await withWebhook();
    const { body } = await call('verifyWebhook', { ...asOwn, headers: json, body: { code: null } });
    const { code } = (await findWebhook(world.store, webhook.companyId, webhook.webhookId)) ?? {};
    expect(code).not.toBe(webhook.code);
    expect([body.state, JSON.stringify(body).includes(String(code))]).toEqual(['unverified', false]);
  });
});

test('rotateWebhookSecret shows a new secret, and how long the previous one also signs', async () => {
  const { webhook, asOwn } = await withWebhook();
  const previousSecretUntil = toTimestamp(startMs + secretOverlapHours * 3_600_000);
  expect((await call('rotateWebhookSecret', asOwn)).body).toEqual({
    webhookId: webhook.webhookId,
    secret: await webhookSecretOf(webhook, 2),
    previousSecretUntil,
  });
  const read = async (nowMs: number) => (await call('getWebhook', { ...asOwn, nowMs })).body.previousSecretUntil;
  expect(await read(Date.parse(previousSecretUntil) - 1)).toBe(previousSecretUntil);
  expect(await read(Date.parse(previousSecretUntil))).toBeNull();
});

/** Returns the result of a partner's signature check. The usual package for it has a clock that a test cannot set. */
const isSignedWith = (secret: string, { headers, body }: Arrived): boolean => {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
};

describe('testWebhook', () => {
  test('shows what the endpoint answered to both signatures, and changes nothing', async () => {
    const { companyId, webhook, asOwn } = await withWebhook(enableWebhook);
    const right = await webhookSecretOf(webhook, 1);
    const before = await findWebhook(world.store, companyId, webhook.webhookId);
    receiver.answerWith((outgoing, arrived) => {
      outgoing.writeHead(isSignedWith(right, arrived) ? 204 : 401).end();
    });
    const { body } = await call('testWebhook', { ...asOwn, environment: { ...world.environment, ...receiver } });
    expect(body).toMatchObject({
      rightSignature: { status: 204, fault: null },
      wrongSignature: { status: 401, fault: null },
      wrongSignatureRefused: true,
    });
    expect(await findWebhook(world.store, companyId, webhook.webhookId)).toEqual(before);
  });

  test('sends messages of a chosen type, refuses unknown ones, and is not listed as an attempt', async () => {
    const { asOwn } = await withWebhook(enableWebhook);
    receiver.answerWith(204);
    const environment = { ...world.environment, ...receiver };
    const typesOf = async (minute: number, body?: object) => {
      const from = receiver.arrived.length;
      const sent = body && { headers: json, body };
      const { status } = await call('testWebhook', { ...asOwn, environment, nowMs: atMinute(minute), ...sent });
      return [status, ...receiver.arrived.slice(from).map((arrived) => JSON.parse(arrived.body).type)];
    };
    expect(await typesOf(0)).toEqual([200, 'webhook.test', 'webhook.test']);
    for (const [index, type] of webhookMessageTypes.entries())
      expect(await typesOf(index + 1, { type })).toEqual([200, type, type]);
    expect(await typesOf(5, { type: 'webhook.other' })).toEqual([400]);
    expect(await typesOf(6, { type: 'webhook.test', kind: 1 })).toEqual([400]);
    expect((await call('listWebhookAttempts', asOwn)).body).toEqual({ items: [], nextCursor: null });
  });

  test('sends nothing to a URL that was never verified, but sends during a new verification', async () => {
    const { companyId, key, asOwn } = await withWebhook();
    receiver.answerWith(204);
    const before = receiver.arrived.length;
    const environment = { ...world.environment, ...receiver };
    const notVerified = { status: null, fault: 'not-verified', durationMs: 0 };
    expect((await call('testWebhook', { ...asOwn, environment })).body).toEqual({
      rightSignature: notVerified,
      wrongSignature: notVerified,
      wrongSignatureRefused: null,
    });
    expect(receiver.arrived).toHaveLength(before);
    const { webhookId } = await enableWebhook(world.store, companyId, `${url}/another`);
    const asEnabled = { apiKey: key.apiKey, pathParameters: { webhookId }, environment };
    await call('verifyWebhook', { ...asEnabled, headers: json, body: { code: null }, nowMs: atMinute(1) });
    expect((await call('testWebhook', { ...asEnabled, nowMs: atMinute(2) })).body.rightSignature.status).toBe(204);
  });

  test('reveals an endpoint that accepts every signature', async () => {
    const { asOwn } = await withWebhook(enableWebhook);
    receiver.answerWith(204);
    const { body } = await call('testWebhook', { ...asOwn, environment: { ...world.environment, ...receiver } });
    expect(body).toMatchObject({ wrongSignature: { status: 204 }, wrongSignatureRefused: false });
  });

  test('shows the fault that prevented an answer', async () => {
    const { asOwn } = await withWebhook(enableWebhook);
    const { body } = await call('testWebhook', asOwn);
    const unresolved = { status: null, fault: 'name-not-resolved' };
    expect(body).toMatchObject({ rightSignature: unresolved, wrongSignature: unresolved, wrongSignatureRefused: null });
  });

  test('sends nothing to a host that is no longer registered', async () => {
    const { companyId, key } = await onboard(world.store);
    const { webhookId } = await enableWebhook(world.store, companyId);
    const before = receiver.arrived.length;
    const { body } = await call('testWebhook', {
      apiKey: key.apiKey,
      pathParameters: { webhookId },
      environment: { ...world.environment, ...receiver },
    });
    expect(body).toMatchObject({ rightSignature: { status: null, fault: 'host-not-registered' } });
    expect(receiver.arrived.length).toBe(before);
  });
});
