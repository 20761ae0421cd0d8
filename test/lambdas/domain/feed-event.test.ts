import { describe, expect, test } from 'vitest';
import { type FeedEventTypeName, feedEventTypeNames, feedEventTypes } from '../../../lambdas/api/schemas/feed.ts';
import { byIds } from '../../../lambdas/domain/by-id.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import {
  type FeedEvent,
  feedEventOf,
  isFarewell,
  isPastForGood,
  isShown,
  recordedForm,
  type Viewer,
  withheldBecause,
} from '../../../lambdas/domain/feed-event.ts';
import { consentedContract } from '../../support/feed.ts';

describe('feed event', () => {
  const fact = { type: 'function.blocked', atMs: 1000, gatewayId: 'gw-1', resource: '/hvacs/gw-1', data: {} } as const;
  const eventOf = (part?: string, recordId = 'r', companyId = 'acme', userId?: string) =>
    feedEventOf(
      { ...fact, ...(part !== undefined && { part }), ...(userId !== undefined && { userId }) },
      { recordId },
      companyId,
    );

  test('the id of an event follows from record, company, type and part, in every later version', () => {
    const ids = [eventOf(), eventOf('dhw'), eventOf('heating'), eventOf('dhw', 's'), eventOf('dhw', 'r', 'other')];
    expect(new Set(ids.map(({ id }) => id)).size).toBe(5);
    expect(eventOf('dhw').id).toBe('evt_wvqxl8m5Goz8cV-ulxoxSn');
  });

  test('an event says whose it is if it is somebody’s, and its part to nobody', () => {
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

  const noBegin = { consentedSinceMs: null };

  test.each<[string, Given, ReturnType<typeof because>]>([
    ['all is well', {}, undefined],
    ['it is of the moment of consent', { receivedAtMs: 1000, grantReceivedAtMs: 0 }, undefined],
    ['it is of the moment of the grant', { receivedAtMs: 1500 }, undefined],
    ['it is older than consent', { receivedAtMs: 999, grantReceivedAtMs: 0 }, 'before-consent'],
    ['it is older than the grant', { receivedAtMs: 1499 }, 'before-grant'],
    ['the grant is gone', { grantReceivedAtMs: undefined }, 'gateway-not-granted'],
    ['consent was withdrawn', { contract: { acceptedConsentVersion: null } }, 'consent-outdated'],
    ['consent is of an older version', { contract: { acceptedConsentVersion: 2 } }, 'consent-outdated'],
    ['consent was renewed since', { contract: { consentedSinceMs: 2001 } }, 'before-consent'],
    ['consent is newer, without its begin', { contract: { ...noBegin, acceptedAtMs: 2001 } }, 'before-consent'],
    ['consent is of a row without any time', { contract: { ...noBegin, acceptedAtMs: null } }, undefined],
    ['its fact is claimed to be older than consent, and came later', { atMs: 1, receivedAtMs: 2000 }, undefined],
    ['its fact is claimed to be newer, and came before', { atMs: 2000, receivedAtMs: 999 }, 'before-consent'],
    ['it came before the contract began anew', { contract: { sinceMs: 2001 } }, 'before-contract'],
    ['it came when the contract began anew', { contract: { sinceMs: 2000 } }, undefined],
    ['the contract has ended', { contract: { state: 'ended' } }, 'contract-ended'],
  ])('an event of an appliance, where %s', (_, given, expected) => {
    for (const type of feedEventTypeNames)
      expect([type, because(type, given)]).toEqual([
        type,
        feedEventTypes[type].level === 'appliance' ? expected : undefined,
      ]);
  });

  test('the energy of a day that was over when the grant came is not shown, whenever it was reported, and not written down', () => {
    const of = (day: string) => ({ ...eventOf('energy.reported', { receivedAtMs: 10 * 86_400_000 }), day });
    const [over, last] = [of('1969-12-31'), of('1970-01-01')];
    expect([over, last].map((event) => withheldBecause(viewerOf({}), event))).toEqual(['day-before-grant', undefined]);
    expect([over, last].map((event) => recordedForm(viewerOf({}), event))).toEqual([undefined, last]);
  });

  test('an event of a type that only a newer version knows is shown to those who may see everything of the gateway', () => {
    const event = eventOf('gateway.reinvented' as FeedEventTypeName, {});
    expect(withheldBecause(viewerOf({}), event)).toBeUndefined();
    expect(withheldBecause(viewerOf({ contract: { state: 'ended' } }), event)).toBe('contract-ended');
  });

  test('without a contract with an owner, no event that tells of them is shown, and all others of the company are', () => {
    const stranger: Viewer = { contract: undefined, requiredConsentVersion: 3 };
    for (const type of feedEventTypeNames) {
      expect([type, withheldBecause(stranger, eventOf(type, {}))]).toEqual([type, 'other-owner']);
      const { userId: _, ...event } = eventOf(type, {});
      const isOfAppliance = feedEventTypes[type].level === 'appliance';
      expect([type, withheldBecause(stranger, event)]).toEqual([type, isOfAppliance ? 'other-owner' : undefined]);
    }
  });

  test('no event that tells of another owner is shown, of whatever level, nor one of an appliance that names none', () => {
    for (const type of feedEventTypeNames) {
      expect([type, because(type, { userId: 'owner-2' })]).toEqual([type, 'other-owner']);
      const { userId: _, ...event } = eventOf(type, {});
      const isOfAppliance = feedEventTypes[type].level === 'appliance';
      expect([type, withheldBecause(viewerOf({}), event)]).toEqual([type, isOfAppliance ? 'other-owner' : undefined]);
    }
  });

  describe('of an event that may not be seen, there is written down', () => {
    test.each<[string, string, Given]>([
      ['its id', 'came before consent', { receivedAtMs: 999, grantReceivedAtMs: 0 }],
      ['its id', 'came before the grant', { receivedAtMs: 1499 }],
      ['its id', 'is asked of newer terms', { contract: { acceptedConsentVersion: 2 } }],
      ['nothing', 'is of an owner who has withdrawn', { contract: { acceptedConsentVersion: null } }],
      ['nothing', 'is of a contract that has ended', { contract: { state: 'ended' } }],
      ['all', 'may be seen', {}],
    ])('%s, where it %s', (what, _, given) => {
      const event = eventOf('circuit.changed', given);
      const forms: Record<string, unknown> = { 'its id': { id: event.id }, nothing: undefined, all: event };
      expect(recordedForm(viewerOf(given), event)).toEqual(forms[what]);
    });

    test('and what was not written down is not shown later', () => {
      expect([withheldBecause(viewerOf({}), { id: 'evt_1' }), isShown(viewerOf({}), { id: 'evt_1' })]).toEqual([
        'not-recorded',
        false,
      ]);
    });
  });
});

describe('an event that nobody is shown any more', () => {
  const contractOf = (overrides: Partial<Contract> = {}): Contract => ({
    ...consentedContract,
    gateways: byIds([['gw-1', { grantedAtMs: 0, receivedAtMs: 0 }]]),
    ...overrides,
  });
  const eventOf = (type: FeedEventTypeName, overrides: Partial<FeedEvent> = {}): FeedEvent => ({
    ...{ id: 'evt_1', type, atMs: 2000, userId: 'owner-1', gatewayId: 'gw-1', resource: '/', data: {} },
    ...overrides,
  });

  test('is one that the owner has taken back, for good', () => {
    const blocked = eventOf('function.blocked');
    expect(isPastForGood(blocked, contractOf())).toBe(false);
    expect(isPastForGood(blocked, contractOf({ gateways: {} }))).toBe(true);
    expect(isPastForGood(blocked, undefined)).toBe(true);
  });

  test('is none of a consent that is outdated: another version of the terms may do', () => {
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
  ])('is none that tells that it is over: %s with %j, %s', (type, data, isOver) => {
    const event = eventOf(type, { data });
    expect(isFarewell(event)).toBe(isOver);
    expect(isPastForGood(event, contractOf({ erasedAtMs: 2000 }))).toBe(!isOver);
  });

  test('tells nothing if there is nothing of it but its id', () => {
    expect(isFarewell({ id: 'evt_1' })).toBe(false);
  });
});
