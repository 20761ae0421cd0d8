import { describe, expect, test } from 'vitest';
import { type FeedEventTypeName, feedEventTypes } from '../../../lambdas/api/schemas/feed.ts';
import { byIds } from '../../../lambdas/domain/by-id.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import {
  endsAccess,
  type FeedEvent,
  feedEventOf,
  isPastForGood,
  isShown,
  recordedForm,
  type Viewer,
  withheldBecause,
} from '../../../lambdas/domain/feed-event.ts';
import { consentedContract } from '../../support/feed.ts';

const feedEventTypeNames = Object.keys(feedEventTypes) as FeedEventTypeName[];

describe('feed event', () => {
  const fact = { type: 'function.blocked', atMs: 1000, gatewayId: 'gw-1', resource: '/hvacs/gw-1', data: {} } as const;
  const eventOf = (part?: string, recordId = 'r', companyId = 'acme', userId?: string) =>
    feedEventOf(
      { ...fact, ...(part !== undefined && { part }), ...(userId !== undefined && { userId }) },
      { recordId },
      companyId,
    );

  test('the id of an event is derived from record, company, type and part, in every later version', () => {
    const ids = [eventOf(), eventOf('dhw'), eventOf('heating'), eventOf('dhw', 's'), eventOf('dhw', 'r', 'other')];
    expect(new Set(ids.map(({ id }) => id)).size).toBe(5);
    expect(eventOf('dhw').id).toBe('evt_wvqxl8m5Goz8cV-ulxoxSn');
  });

  test('an event has the id of its owner, if there is one, and never its part', () => {
    expect(eventOf('dhw', 'r', 'acme', 'owner-1')).toStrictEqual({ ...fact, id: eventOf('dhw').id, userId: 'owner-1' });
    expect(eventOf('dhw')).toStrictEqual({ ...fact, id: eventOf('dhw').id });
  });
});

describe('visibility', () => {
  type Given = {
    readonly contract?: Partial<Contract>;
    readonly grantReceivedAtMs?: number | undefined;
    readonly atMs?: number;
    readonly receivedAtMs?: number;
    readonly userId?: string | undefined;
  };

  const gatewaysFor = (given: Given): Contract['gateways'] => {
    const receivedAtMs = 'grantReceivedAtMs' in given ? given.grantReceivedAtMs : 1500;
    return receivedAtMs === undefined ? {} : byIds([['gw-1', { grantedAtMs: 0, receivedAtMs }]]);
  };

  const viewerOf = (given: Given) => ({
    contract: { ...consentedContract, gateways: gatewaysFor(given), ...given.contract },
    requiredConsentVersion: 3,
  });

  const eventOf = (
    type: FeedEventTypeName,
    { atMs = 2000, receivedAtMs = atMs, userId = 'owner-1' }: Given,
  ): FeedEvent => ({ id: 'evt_1', type, atMs, receivedAtMs, userId, gatewayId: 'gw-1', resource: '/', data: {} });

  const because = (type: FeedEventTypeName, given: Given) => withheldBecause(viewerOf(given), eventOf(type, given));

  test.each<[string, Given, ReturnType<typeof because>]>([
    ['everything is permitted', {}, undefined],
    ['it was received at the moment of consent', { receivedAtMs: 1000, grantReceivedAtMs: 0 }, undefined],
    ['it was received at the moment of the grant', { receivedAtMs: 1500 }, undefined],
    ['it was received before consent', { receivedAtMs: 999, grantReceivedAtMs: 0 }, 'before-consent'],
    ['it was received before the grant', { receivedAtMs: 1499 }, 'before-grant'],
    ['the grant was revoked', { grantReceivedAtMs: undefined }, 'gateway-not-granted'],
    ['consent was withdrawn', { contract: { acceptedConsentVersion: null } }, 'consent-outdated'],
    ['consent is of an older version', { contract: { acceptedConsentVersion: 2 } }, 'consent-outdated'],
    ['consent was renewed since', { contract: { consentedSinceMs: 2001 } }, 'before-consent'],
    ['its claimed time is before consent, and its receipt is not', { atMs: 1, receivedAtMs: 2000 }, undefined],
    ['its claimed time is after consent, and its receipt is not', { atMs: 2000, receivedAtMs: 999 }, 'before-consent'],
    ['it was received before the contract was opened again', { contract: { sinceMs: 2001 } }, 'before-contract'],
    ['it was received when the contract was opened again', { contract: { sinceMs: 2000 } }, undefined],
    ['the contract has ended', { contract: { state: 'ended' } }, 'contract-ended'],
  ])('an event of an appliance, if %s', (_, given, expected) => {
    for (const type of feedEventTypeNames)
      expect([type, because(type, given)]).toEqual([
        type,
        feedEventTypes[type].level === 'appliance' ? expected : undefined,
      ]);
  });

  const dayMs = 86_400_000;
  test.each<[string, Given]>([
    ['the grant', { grantReceivedAtMs: 5 * dayMs }],
    ['the opening of the contract', { contract: { sinceMs: 5 * dayMs } }],
    ['the consent after the last withdrawal', { contract: { consentGivenSinceMs: 5 * dayMs } }],
  ])('the energy of a day that ended before %s is neither shown nor recorded', (_, given) => {
    const viewer = viewerOf({ grantReceivedAtMs: 0, ...given });
    const of = (day: string) => ({ ...eventOf('energy.reported', { receivedAtMs: 10 * dayMs }), day });
    const [over, last] = [of('1970-01-05'), of('1970-01-06')];
    expect([over, last].map((event) => withheldBecause(viewer, event))).toEqual(['day-before-access', undefined]);
    expect([over, last].map((event) => recordedForm(viewer, event))).toEqual([undefined, last]);
  });

  test('the energy of a day while consent was outdated is shown once consent is renewed', () => {
    const event = { ...eventOf('energy.reported', { receivedAtMs: 10 * dayMs }), day: '1970-01-02' };
    expect(withheldBecause(viewerOf({ contract: { consentedSinceMs: 10 * dayMs } }), event)).toBeUndefined();
  });

  test('an event type of a newer version is shown to companies that may see all of the gateway', () => {
    const event = eventOf('gateway.reinvented' as FeedEventTypeName, {});
    expect(withheldBecause(viewerOf({}), event)).toBeUndefined();
    expect(withheldBecause(viewerOf({ contract: { state: 'ended' } }), event)).toBe('contract-ended');
  });

  test('without a contract with an owner, events about the owner are withheld, and other ones shown', () => {
    const stranger: Viewer = { contract: undefined, requiredConsentVersion: 3 };
    for (const type of feedEventTypeNames) {
      expect([type, withheldBecause(stranger, eventOf(type, {}))]).toEqual([type, 'other-owner']);
      const { userId: _, ...event } = eventOf(type, {});
      const isOfAppliance = feedEventTypes[type].level === 'appliance';
      expect([type, withheldBecause(stranger, event)]).toEqual([type, isOfAppliance ? 'other-owner' : undefined]);
    }
  });

  test('events about another owner are withheld, and so are appliance events without an owner', () => {
    for (const type of feedEventTypeNames) {
      expect([type, because(type, { userId: 'owner-2' })]).toEqual([type, 'other-owner']);
      const { userId: _, ...event } = eventOf(type, {});
      const isOfAppliance = feedEventTypes[type].level === 'appliance';
      expect([type, withheldBecause(viewerOf({}), event)]).toEqual([type, isOfAppliance ? 'other-owner' : undefined]);
    }
  });

  describe('the recorded form of an event', () => {
    test.each<[string, string, Given]>([
      ['its id', 'was received before consent', { receivedAtMs: 999, grantReceivedAtMs: 0 }],
      ['its id', 'was received before the grant', { receivedAtMs: 1499 }],
      ['its id', 'requires consent to newer terms', { contract: { acceptedConsentVersion: 2 } }],
      ['nothing', 'is of an owner who has withdrawn consent', { contract: { acceptedConsentVersion: null } }],
      ['nothing', 'is of a contract that has ended', { contract: { state: 'ended' } }],
      ['all', 'is visible', {}],
    ])('is %s if it %s', (what, _, given) => {
      const event = eventOf('circuit.changed', given);
      const forms: Record<string, unknown> = { 'its id': { id: event.id }, nothing: undefined, all: event };
      expect(recordedForm(viewerOf(given), event)).toEqual(forms[what]);
    });

    test('that is only its id is not shown later', () => {
      expect([withheldBecause(viewerOf({}), { id: 'evt_1' }), isShown(viewerOf({}), { id: 'evt_1' })]).toEqual([
        'not-recorded',
        false,
      ]);
    });
  });
});

describe('an event that is never shown again', () => {
  const contractOf = (overrides: Partial<Contract> = {}): Contract => ({
    ...consentedContract,
    gateways: byIds([['gw-1', { grantedAtMs: 0, receivedAtMs: 0 }]]),
    ...overrides,
  });
  const eventOf = (type: FeedEventTypeName, overrides: Partial<FeedEvent> = {}): FeedEvent => ({
    id: 'evt_1',
    type,
    atMs: 2000,
    userId: 'owner-1',
    gatewayId: 'gw-1',
    resource: '/',
    data: {},
    ...overrides,
  });

  test('is an event whose access the owner has withdrawn permanently', () => {
    const blocked = eventOf('function.blocked');
    expect(isPastForGood(blocked, contractOf())).toBe(false);
    expect(isPastForGood(blocked, contractOf({ gateways: {} }))).toBe(true);
    expect(isPastForGood(blocked, undefined)).toBe(true);
  });

  test('is not one of outdated consent, which another version of the terms may accept', () => {
    const accepted = (acceptedConsentVersion: number | null) => contractOf({ acceptedConsentVersion });
    expect(isPastForGood(eventOf('function.blocked'), accepted(0))).toBe(false);
    expect(isPastForGood(eventOf('function.blocked'), accepted(null))).toBe(true);
  });

  test('is one from before an erasure, to the millisecond', () => {
    const erased = contractOf({ erasedAtMs: 2000 });
    const at = (receivedAtMs: number) => eventOf('gateway.added', { receivedAtMs });
    expect([at(2000), at(2001)].map((event) => isPastForGood(event, erased))).toEqual([true, false]);
    expect(isPastForGood(at(0), contractOf())).toBe(false);
    const { userId: _, ...ofNobody } = at(0);
    expect(isPastForGood(ofNobody, undefined)).toBe(false);
  });

  const ended = { state: 'ended', consent: { acceptedVersion: 3 } };
  const withdrawn = { state: 'active', consent: { acceptedVersion: null } };
  const given = { state: 'active', consent: { acceptedVersion: 3 } };

  test.each<[FeedEventTypeName, object, boolean]>([
    ['contract.changed', ended, true],
    ['contract.changed', withdrawn, false],
    ['consent.changed', ended, true],
    ['consent.changed', withdrawn, true],
    ['consent.changed', given, false],
    ['gateway.removed', {}, true],
    ['gateway.added', {}, false],
  ])('is not one that reports the end of access: %s with %j, %s', (type, data, isOver) => {
    const event = eventOf(type, { data });
    expect(endsAccess(event)).toBe(isOver);
    expect(isPastForGood(event, contractOf({ erasedAtMs: 2000 }))).toBe(!isOver);
  });

  test('reports no end of access if only its id is stored', () => {
    expect(endsAccess({ id: 'evt_1' })).toBe(false);
  });
});
