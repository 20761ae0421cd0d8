import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type SignedContent,
  signatureHeaders,
  testMessageOf,
  webhookMessageOf,
} from '../../../lambdas/domain/webhook-message.ts';
import { verifyWebhookMessage, WebhookMessageError, type WebhookRequest } from '../../../partner/client/webhooks.ts';

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const [current, previous, foreign] = [secretOf(1), secretOf(2), secretOf(3)];

const nowMs = Date.parse('2036-03-10T12:00:00.750Z');
const webhook = { webhookId: 'wh_1', state: 'enabled', code: 'c0de', asked: 3 } as const;
const message = webhookMessageOf(webhook, nowMs);

const requestOf = (content: SignedContent = message, secrets = [current]) => ({
  headers: signatureHeaders(content, secrets),
  body: content.body,
});
const at = (ms: number, secrets: string | string[] = current) => ({ secrets, nowMs: ms });
const verify = (request: WebhookRequest, { secrets, nowMs: now }: ReturnType<typeof at> = at(nowMs)) =>
  verifyWebhookMessage(request, secrets, { nowMs: now });
const refusalOf = async (...given: Parameters<typeof verify>) => {
  const error = await verify(...given).then(
    () => undefined,
    (each: unknown) => each,
  );
  return error instanceof WebhookMessageError ? error.refusal : error;
};

describe('a signed message', () => {
  test('is returned with id, type and data', async () => {
    const timestamp = '2036-03-10T12:00:00Z';
    expect(await verify(requestOf())).toEqual({
      id: message.id,
      type: 'events.available',
      timestamp,
      data: { webhookId: 'wh_1' },
    });
    const handshake = webhookMessageOf({ ...webhook, state: 'unverified' }, nowMs);
    expect(await verify(requestOf(handshake))).toEqual({
      id: handshake.id,
      type: 'webhook.verify',
      timestamp,
      data: { webhookId: 'wh_1', code: 'c0de' },
    });
    expect(await verify(requestOf(testMessageOf(webhook, 'webhook.test', nowMs)))).toMatchObject({
      type: 'webhook.test',
    });
  });

  test('is accepted in the request format of each platform', async () => {
    const { headers, body } = requestOf();
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const given of [headers, shouted, lists, new Headers(headers)])
      for (const each of [body, Buffer.from(body), new TextEncoder().encode(body)])
        expect(await verify({ headers: given, body: each })).toMatchObject({ id: message.id });
  });

  test('is accepted with either secret during a rotation', async () => {
    const both = requestOf(message, [current, previous]);
    for (const secrets of [current, previous, [current, previous], [foreign, previous]])
      expect(await refusalOf(both, at(nowMs, secrets))).toBeUndefined();
    expect(await refusalOf(requestOf(message, [previous]), at(nowMs, [current, previous]))).toBeUndefined();
    expect(await refusalOf(both, at(nowMs, foreign))).toBe('signature-wrong');
  });

  test('of a newer type is marked as unknown', async () => {
    const body = JSON.stringify({ type: 'webhook.paused', timestamp: '2036-03-10T12:00:00Z', data: { until: null } });
    expect(await verify(requestOf({ ...message, body }))).toMatchObject({
      type: 'unknown-message',
      newType: 'webhook.paused',
      data: { until: null },
    });
  });

  test.each(['', 'null', '[]', '{}', '{"type":1,"timestamp":"t","data":{}}', '{"type":"t","timestamp":"t","data":1}'])(
    'is rejected if its body is %s',
    async (body) => {
      expect(await refusalOf(requestOf({ ...message, body }))).toBe('body-unreadable');
    },
  );
});

describe('a request is rejected', () => {
  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('that lacks %s', async (name) => {
    const { headers, body } = requestOf();
    for (const value of ['', [], undefined])
      expect(await refusalOf({ headers: { ...headers, [name]: value as string }, body })).toBe('header-missing');
  });

  test.each(['webhook-id', 'webhook-timestamp'])('with another %s', async (name) => {
    const { headers, body } = requestOf();
    const other = name === 'webhook-id' ? 'msg_other' : String(Math.floor(nowMs / 1000) + 1);
    expect(await refusalOf({ headers: { ...headers, [name]: other }, body })).toBe('signature-wrong');
  });

  test('with another body, even by a blank or a byte order mark', async () => {
    const { headers, body } = requestOf();
    for (const other of [`${body} `, `\uFEFF${body}`, JSON.stringify(JSON.parse(body), null, 2)]) {
      expect(await refusalOf({ headers, body: other })).toBe('signature-wrong');
      expect(await refusalOf({ headers, body: Buffer.from(other) })).toBe('signature-wrong');
    }
  });

  test('signed with another secret, in another way, or not at all', async () => {
    const { headers, body } = requestOf();
    const right = headers['webhook-signature'] as string;
    const signatures = [
      signatureHeaders(message, [foreign])['webhook-signature'] as string,
      ...[right.replace('v1,', 'v2,'), right.replace('v1,', ''), right.slice(0, -2), `${right}=`, 'v1,', ',', ' '],
    ];
    for (const signature of signatures)
      expect(await refusalOf({ headers: { ...headers, 'webhook-signature': signature }, body })).toBe(
        'signature-wrong',
      );
  });

  test('more than five minutes before or after now, or with an unreadable time', async () => {
    const seconds = Math.floor(nowMs / 1000) * 1000;
    for (const away of [300_000, -300_000]) expect(await refusalOf(requestOf(), at(seconds + away))).toBeUndefined();
    for (const away of [301_000, -301_000]) expect(await refusalOf(requestOf(), at(seconds + away))).toBe('time-off');
    const { headers, body } = requestOf();
    for (const time of ['NaN', '1e9', '-1', `${seconds / 1000}.0`, ` ${seconds / 1000}`, '9'.repeat(400)])
      expect(await refusalOf({ headers: { ...headers, 'webhook-timestamp': time }, body })).toBe('time-off');
  });

  test('whose right signature follows more signatures than the service ever sends', async () => {
    const { headers, body } = requestOf();
    const wrong = signatureHeaders(message, [foreign])['webhook-signature'];
    const behind = (count: number) => [...Array(count).fill(wrong), headers['webhook-signature']].join(' ');
    expect(await refusalOf({ headers: { ...headers, 'webhook-signature': behind(9) }, body })).toBeUndefined();
    expect(await refusalOf({ headers: { ...headers, 'webhook-signature': behind(10) }, body })).toBe('signature-wrong');
  });
});

test('a malformed secret is an error of the caller and is not quoted', async () => {
  const cut = current.slice(0, -8);
  for (const wrong of ['', cut, `${current}\n`, current.slice('whsec_'.length), [current, cut], []]) {
    const error = await verify(requestOf(), at(nowMs, wrong)).catch((each: Error) => each);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain(cut.slice('whsec_'.length));
  }
});

describe('a verifier of Standard Webhooks', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: nowMs }));
  afterEach(() => void vi.useRealTimers());

  const theirs = (secret: string, { headers, body }: ReturnType<typeof requestOf>) => {
    try {
      new Verifier(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  };

  const old = (seconds: number) => ({ ...message, timestampMs: nowMs - seconds * 1000 });
  const signed = requestOf();
  const signedAs = (change: (signature: string) => string) => ({
    ...signed,
    headers: { ...signed.headers, 'webhook-signature': change(signed.headers['webhook-signature'] as string) },
  });
  test.each<[string, boolean, ReturnType<typeof requestOf>]>([
    ['the right one', true, signed],
    ['one of two', true, requestOf(message, [previous, current])],
    ['one next to another version', true, signedAs((each) => `v1a,AAAA ${each}`)],
    ['one five minutes old', true, requestOf(old(300))],
    ['one that is older', false, requestOf(old(301))],
    ['one from five minutes ahead', true, requestOf(old(-300))],
    ['one from further ahead', false, requestOf(old(-301))],
    ['that of another secret', false, requestOf(message, [foreign])],
    ['that of another body', false, { ...signed, body: `${message.body}\n` }],
    ['none', false, signedAs(() => 'v1')],
    ['one in another version', false, signedAs((each) => each.replace('v1', 'v2'))],
    ['another spelling of the same bytes', false, signedAs((each) => each.replace(/.=$/, (end) => neighbourOf(end)))],
  ])('judges as the client does: %s', async (_, isRight, request) => {
    expect(theirs(current, request)).toBe(isRight);
    const verdict = verifyWebhookMessage(request, current).then(
      () => true,
      () => false,
    );
    expect(await verdict).toBe(isRight);
  });
});

/** Returns a character that differs only in the unused bits of the last Base64 group. */
const neighbourOf = ([last = '']: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`;
