import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { pokeOf, signatureHeaders, signingVersions, testPokeOf } from '../../../../lambdas/domain/poke.ts';

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const [current, previous, foreign] = [secretOf(1), secretOf(2), secretOf(3)];

const webhook = { webhookId: 'wh_1', state: 'enabled', code: 'c0de', asked: 3 } as const;
// The verifier has a clock of its own, and accepts what is five minutes old at most.
const poke = pokeOf(webhook, Date.now());
const verify = (secret: string, headers: Record<string, string>, body = poke.body) =>
  new Verifier(secret).verify(body, headers);

describe('a verifier of Standard Webhooks', () => {
  test('accepts a poke and reads what it says', () => {
    expect(verify(current, signatureHeaders(poke, [current]))).toEqual({
      type: 'events.available',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      data: { webhookId: 'wh_1' },
    });
  });

  test('accepts a poke with either secret while one replaces the other', () => {
    const headers = signatureHeaders(poke, [current, previous]);
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const secret of [current, previous]) expect(() => verify(secret, headers)).not.toThrow();
    expect(() => verify(foreign, headers)).toThrow('No matching signature');
  });

  test.each([
    ['id', { 'webhook-id': 'poke_other' }],
    ['time', { 'webhook-timestamp': String(Math.floor(poke.timestampMs / 1000) - 1) }],
  ])('refuses a poke with another %s', (_, changed) => {
    const headers = { ...signatureHeaders(poke, [current]), ...changed };
    expect(() => verify(current, headers)).toThrow('No matching signature');
  });

  test('refuses a poke with another body, and an old one', () => {
    expect(() => verify(current, signatureHeaders(poke, [current]), `${poke.body} `)).toThrow('No matching signature');
    const old = { ...poke, timestampMs: poke.timestampMs - 301_000 };
    expect(() => verify(current, signatureHeaders(old, [current]))).toThrow('Message timestamp too old');
  });
});

test('what is no secret signs nothing', () => {
  expect(() => signatureHeaders(poke, ['c2VjcmV0'])).toThrow('begins with whsec_');
});

describe('a poke', () => {
  const nowMs = Date.parse('2026-11-21T10:16:02.750Z');

  test('brings its code to a webhook that is not verified, and to no other one', () => {
    const data = (state: 'unverified' | 'enabled') => JSON.parse(pokeOf({ ...webhook, state }, nowMs).body);
    expect(data('unverified')).toEqual({
      type: 'webhook.verify',
      timestamp: '2026-11-21T10:16:02Z',
      data: { webhookId: 'wh_1', code: 'c0de' },
    });
    expect(data('enabled').data).toEqual({ webhookId: 'wh_1' });
  });

  test('keeps its id when it is tried again, and gets another when more was asked for', () => {
    const { id } = pokeOf(webhook, nowMs);
    expect(id).toMatch(/^poke_[0-9a-f]{32}$/);
    expect(pokeOf(webhook, nowMs + 60_000).id).toBe(id);
    const others = [{ asked: 4 }, { webhookId: 'wh_2' }, { state: 'unverified' as const }];
    for (const change of others) expect(pokeOf({ ...webhook, ...change }, nowMs).id).not.toBe(id);
    expect(pokeOf({ ...webhook, code: 'other' }, nowMs).id).toBe(id);
    const idsOfCodes = ['c0de', 'other'].map((code) => pokeOf({ ...webhook, state: 'unverified', code }, nowMs).id);
    expect(new Set(idsOfCodes).size).toBe(2);
    expect(testPokeOf(webhook, nowMs).id).toMatch(/^poke_[0-9A-Za-z]{22}$/);
  });
});

test('the secret before the current one signs along until its time, and none before it', () => {
  const rotated = { secretVersion: 3, previousSecretUntilMs: 1000 };
  expect(signingVersions(rotated, 999)).toEqual([3, 2]);
  expect(signingVersions(rotated, 1000)).toEqual([3]);
  expect(signingVersions({ secretVersion: 1 }, 0)).toEqual([1]);
});
