import { describe, expect, test } from 'vitest';
import { type FeedEventTypeName, feedEventTypes } from '../../../lambdas/api/schemas/feed.ts';
import { toWebhookItem } from '../../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook } from '../../../lambdas/domain/webhook.ts';
import { noticeOf } from '../../../lambdas/feed/record.ts';

const feedEventTypeNames = Object.keys(feedEventTypes) as FeedEventTypeName[];

type Item = Readonly<Record<string, unknown>>;

const change = (after: Item | undefined) => ({ recordId: 'r', atMs: 9000, keys: {}, before: undefined, after });

test('the notice of an expiring key has its id, its expiry, the remaining time and whether it is the last', () => {
  const row = {
    companyId: 'acme',
    sk: 'k1#P14D',
    keyId: 'k1',
    expiresAt: '2036-09-10T12:00:00Z',
    remaining: 'P14D',
    isLastKey: true,
    access: 'read',
    label: 'Reporting',
    noticedAt: '2036-08-27T12:00:00Z',
    removeAt: 2_104_000_000,
  };
  expect(noticeOf('api_key.expiring', change(row))).toEqual({
    detailType: 'API key expiring',
    detail: {
      noticeId: 'k1#P14D',
      companyId: 'acme',
      keyId: 'k1',
      expiresAt: '2036-09-10T12:00:00Z',
      remaining: 'P14D',
      isLastKey: true,
      access: 'read',
      label: 'Reporting',
    },
  });
});

describe('a webhook that was disabled', () => {
  const webhook = {
    companyId: 'acme',
    webhookId: 'wh_1',
    url: 'https://hooks.acme.example/heating',
    state: 'disabled',
    createdAtMs: 1000,
    secretVersion: 1,
    code: 'c0de',
    codeExpiresAtMs: 2000,
    asked: 3,
    failures: 0,
    disabledAtMs: Date.parse('2036-03-10T11:59:59Z'),
    disabledBecause: 'gone',
    lastAttempt: { atMs: 1000, status: 410, fault: null, durationMs: 5 },
  } as Webhook;
  const noticeOfWebhook = (overrides: Partial<Webhook> = {}) =>
    noticeOf('webhook.disabled', change(toWebhookItem({ ...webhook, ...overrides })));

  test('has a notice with its id, the time and the reason, without URL and code', () => {
    expect(noticeOfWebhook()).toEqual({
      detailType: 'Webhook disabled',
      detail: {
        noticeId: 'wh_1#2036-03-10T11:59:59Z',
        companyId: 'acme',
        webhookId: 'wh_1',
        disabledAt: '2036-03-10T11:59:59Z',
        reason: 'gone',
      },
    });
  });

  test('has another notice if it is disabled again', () => {
    const again = noticeOfWebhook({ disabledAtMs: Date.parse('2036-04-10T11:59:59Z'), disabledBecause: 'unreachable' });
    expect(again?.detail).toMatchObject({ noticeId: 'wh_1#2036-04-10T11:59:59Z', reason: 'unreachable' });
  });
});

test('operators get no notice of other events or of a deleted row', () => {
  const noticed = feedEventTypeNames.filter((type) => noticeOf(type, change({ companyId: 'acme' })) !== undefined);
  expect(noticed).toEqual(['api_key.expiring', 'webhook.disabled']);
  expect(noticeOf('api_key.expiring', change(undefined))).toBeUndefined();
});
