import { describe, expect, test } from 'vitest';
import { contractBody } from '../../../lambdas/answers/contract.ts';
import { consumers } from '../../../lambdas/api/background-functions.ts';
import { contractKey } from '../../../lambdas/data/contracts/contracts.ts';
import { byIds } from '../../../lambdas/domain/by-id.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { feedEventOf } from '../../../lambdas/domain/feed-event.ts';
import { contractEvents, keyNoticeEvents, webhookEvents } from '../../../lambdas/feed/company-events.ts';
import { consentedContract } from '../../support/feed.ts';
import { partiesOf } from '../../support/world.ts';

type Item = Readonly<Record<string, unknown>>;

const settings = { requiredConsentVersion: 3, consentPortalUrl: 'https://portal.example.com/consent' };
const atMs = 9000;
const change = (keys: Item, before: Item | undefined, after: Item | undefined) => ({
  recordId: 'r',
  atMs,
  keys,
  before: before && { ...keys, ...before },
  after: after && { ...keys, ...after },
});

const withdrawn = {
  acceptedConsentVersion: null,
  acceptedAtMs: null,
  consentedSinceMs: null,
  consentChangedAtMs: 2000,
};

describe('a contract', () => {
  test.each<[string, Partial<Contract> | undefined, Partial<Contract>, string[]]>([
    ['is new', undefined, {}, [`contract.changed ${atMs}`]],
    ['has ended', {}, { state: 'ended' }, [`contract.changed ${atMs}`]],
    ['has lost its consent', {}, withdrawn, ['consent.changed 2000']],
    ['has its consent renewed', withdrawn, { consentChangedAtMs: 3000, acceptedAtMs: 3000 }, ['consent.changed 3000']],
    [
      'has its consent given by an operator, despite any withdrawal of the last minute',
      withdrawn,
      { consentChangedAtMs: 3000, acceptedAtMs: 63_000 },
      ['consent.changed 63000'],
    ],
    [
      'has lost its consent at an unknown time',
      {},
      { ...withdrawn, consentChangedAtMs: null },
      [`consent.changed ${atMs}`],
    ],
    [
      'has another owner, who has not consented',
      {},
      { userId: 'owner-2', ...withdrawn },
      [`contract.changed ${atMs}`, 'consent.changed 2000'],
    ],
    ['was checked again', {}, { consentChangedAtMs: 1500 }, []],
  ])('that %s', (_, before, after, expected) => {
    const events = contractEvents(
      change(contractKey(partiesOf('acme')), before && { ...consentedContract, ...before }, {
        ...consentedContract,
        ...after,
      }),
      settings,
    );
    expect(events.map((event) => `${event.type} ${event.atMs}`)).toEqual(expected);
    const now = { ...consentedContract, ...after };
    for (const { resource, data, userId } of events)
      expect([resource, data, userId]).toEqual(['/contract', contractBody(now, settings), now.userId]);
  });

  test('that is deleted has no event, since no reader is left', () => {
    expect(contractEvents(change(contractKey(partiesOf('acme')), consentedContract, undefined), settings)).toEqual([]);
  });
});

test('decisions from before a contract is opened are reported when it is opened', () => {
  const unopened = {
    ...consentedContract,
    state: 'unopened',
    gateways: { 'gw-1': { grantedAtMs: 1000, receivedAtMs: 1000 } },
  };
  const eventsOf = (before: object | undefined, after: object) =>
    contractEvents(change(contractKey(partiesOf('acme')), before as Item | undefined, after as Item), settings);
  expect(eventsOf(undefined, unopened)).toEqual([]);
  expect(eventsOf({ ...unopened, gateways: {} }, unopened)).toEqual([]);
  expect(eventsOf(unopened, { ...unopened, state: 'active' }).map(({ type }) => type)).toEqual([
    'contract.changed',
    'gateway.added',
  ]);
});

describe('a gateway of a contract', () => {
  const shared = { gatewayId: 'gw-1', userId: 'owner-1', resource: '/hvacs/gw-1', data: {}, part: 'gw-1' };
  const since = (grantedAtMs: number, receivedAtMs = grantedAtMs) => byIds([['gw-1', { grantedAtMs, receivedAtMs }]]);

  test.each<[string, Contract['gateways'], Contract['gateways'], object[]]>([
    ['is new', {}, since(1000), [{ type: 'gateway.added', atMs: 1000, ...shared }]],
    [
      'is granted again by a fact of the same time with a later receipt',
      since(1000),
      since(1000, 2000),
      [{ type: 'gateway.added', atMs: 1000, ...shared }],
    ],
    ['is granted again', since(1000), since(2000), [{ type: 'gateway.added', atMs: 2000, ...shared }]],
    ['is revoked', since(1000), {}, [{ type: 'gateway.removed', atMs, ...shared }]],
    ['is stored unchanged', since(1000), since(1000), []],
  ])('that %s', (_, before, after, expected) => {
    const imageOf = (gateways: Contract['gateways']) => ({ ...consentedContract, gateways });
    const drafts = contractEvents(change(contractKey(partiesOf('acme')), imageOf(before), imageOf(after)), settings);
    expect(drafts).toEqual(expected);
  });

  test('has an id that differs from other events of the same change', () => {
    const added = { ...consentedContract, gateways: { ...since(1), 'gw-2': { grantedAtMs: 1, receivedAtMs: 1 } } };
    const drafts = contractEvents(change(contractKey(partiesOf('acme')), consentedContract, added), settings);
    expect(new Set(drafts.map((draft) => feedEventOf(draft, { recordId: 'r' }, 'acme').id)).size).toBe(2);
  });
});

test('a notice of an expiring key has an event when it is stored, not when it is removed', () => {
  const keys = { companyId: 'acme', sk: 'K1#P7D' };
  const data = {
    keyId: 'K1',
    expiresAt: '2036-03-17T12:00:00Z',
    remaining: 'P7D',
    isLastKey: true,
    access: 'read',
    label: 'Reporting',
  };
  const notice = { ...data, removeAt: 1 };
  expect(keyNoticeEvents(change(keys, undefined, notice))).toEqual([
    {
      type: 'api_key.expiring',
      atMs,
      resource: '/api-keys',
      data,
    },
  ]);
  expect(keyNoticeEvents(change(keys, undefined, undefined))).toEqual([]);
  expect(keyNoticeEvents(change(keys, notice, { ...notice, removeAt: 2 }))).toEqual([]);
});

test('a webhook has one event, with the time, when it is disabled, and no other event', () => {
  const { keys, ...webhook } = {
    keys: { companyId: 'acme', sk: 'WEBHOOK#wh_1' },
    url: 'https://acme.test/',
    state: 'enabled',
    createdAtMs: 1,
    secretVersion: 1,
    code: 'c',
    codeExpiresAtMs: 2,
    webhookId: 'wh_1',
    asked: 0,
    failures: 0,
  };
  const disabled = { ...webhook, state: 'disabled', disabledBecause: 'gone', disabledAtMs: 3000 };
  const factsOf = (before: Item | undefined, after: Item | undefined) => webhookEvents(change(keys, before, after));
  expect(factsOf(webhook, disabled)).toEqual([
    {
      type: 'webhook.disabled',
      atMs: 3000,
      resource: '/webhooks/wh_1',
      data: expect.objectContaining({ state: 'disabled' }),
    },
  ]);
  expect(factsOf(webhook, { ...disabled, disabledAtMs: undefined })).toMatchObject([{ atMs }]);
  expect(factsOf(disabled, { ...disabled, asked: 1 })).toEqual([]);
  expect(factsOf(webhook, { ...webhook, asked: 1 })).toEqual([]);
  expect(factsOf(disabled, webhook)).toEqual([]);
  expect(factsOf(disabled, undefined)).toEqual([]);
});

test('records that the filter of the webhook stream drops have no events', () => {
  const { attribute, text } = consumers.recordWebhookEvents.source.onlyIf;
  const keys = { companyId: 'acme', sk: 'WEBHOOK#wh_1' };
  const states = ['unverified', 'enabled', 'disabled'];
  const items = [undefined, ...states.map((state) => ({ state, webhookId: 'wh_1', disabledAtMs: 3000, asked: 0 }))];
  const dropped = items.flatMap((before) =>
    items.filter((after) => after?.[attribute] !== text).map((after) => change(keys, before, after)),
  );
  expect(dropped).toHaveLength(12);
  expect(dropped.flatMap(webhookEvents)).toEqual([]);
});
