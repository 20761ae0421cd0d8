import { describe, expect, test } from 'vitest';
import { byIds } from '../../../lambdas/domain/by-id.ts';
import {
  type Contract,
  endedByOperator,
  endedContract,
  gatewayPage,
  givesAccess,
  grantIn,
  isBeforeErasure,
  isChangedSinceErasure,
  lateUntil,
  openedByOperator,
  openedContract,
} from '../../../lambdas/domain/contract.ts';
import type { Grant } from '../../../lambdas/domain/grant.ts';
import { consentedContract } from '../../support/feed.ts';

const grant = { grantedAtMs: 1, receivedAtMs: 2 };
const gateways = byIds(['gw-2', 'gw-10', 'gw-1'].map((id) => [id, grant] as const));

test('a contract covers the gateways that it names, and no property of all objects', () => {
  expect(grantIn({ gateways }, 'gw-1')).toEqual(grant);
  for (const gatewayId of ['gw-3', 'constructor', 'toString']) expect(grantIn({ gateways }, gatewayId)).toBeUndefined();
});

test('a contract gives access while it is active and the consent to it is up to date', () => {
  const access = (change: Partial<Contract>) => givesAccess({ ...consentedContract, ...change }, 3);
  expect([access({}), access({ state: 'ended' }), access({ acceptedConsentVersion: 2 })]).toEqual([true, false, false]);
});

describe('a page of the gateways of a contract', () => {
  test.each<[number, string | undefined, string[], string | undefined]>([
    [3, undefined, ['gw-1', 'gw-10', 'gw-2'], undefined],
    [2, undefined, ['gw-1', 'gw-10'], 'gw-10'],
    [2, 'gw-10', ['gw-2'], undefined],
    [1, 'gw-1', ['gw-10'], 'gw-10'],
    [1, 'gw-2', [], undefined],
    [1, 'gw-11', ['gw-2'], undefined],
  ])('of %i, after %s', (limit, after, gatewayIds, next) => {
    expect(gatewayPage({ gateways }, limit, after)).toEqual({ gatewayIds, next });
  });
});

describe('the state of a contract', () => {
  const known = (state: Contract['state'], claimedAtMs: number | null, countsFromMs = claimedAtMs): Contract => ({
    ...consentedContract,
    state,
    sinceMs: 5,
    stateClaimedAtMs: claimedAtMs,
    stateChangedAtMs: countsFromMs,
  });
  const times = (claimedAtMs: number, countsFromMs = claimedAtMs) => ({ claimedAtMs, countsFromMs, receivedAtMs: 50 });
  const opened = (claimedAtMs: number, sinceMs: number, countsFromMs = claimedAtMs) => ({
    state: 'active',
    sinceMs,
    stateChangedAtMs: countsFromMs,
    stateClaimedAtMs: claimedAtMs,
  });
  const ended = (claimedAtMs: number, countsFromMs = claimedAtMs) => ({
    state: 'ended',
    stateChangedAtMs: countsFromMs,
    stateClaimedAtMs: claimedAtMs,
  });

  /** A contract that was never opened stays unopened, and is not shown. */
  const leftUnopened = (claimedAtMs: number) => {
    const { state: _, ...kept } = ended(claimedAtMs);
    return kept;
  };

  test.each<[string, Contract, ReturnType<typeof times>, string, object?]>([
    ['opens an unknown contract', known('unopened', null), times(-10), 'applied', opened(-10, 50)],
    ['opens a contract that has ended', known('ended', 9), times(10), 'applied', opened(10, 50)],
    ['is known', known('active', 10), times(10), 'stale'],
    ['is older than the end', known('ended', 10), times(9), 'stale'],
    ['counts from before the end', known('ended', 9, 9), times(10, 8), 'stale'],
    ['opens an open contract again, which keeps its start', known('active', 9), times(10), 'noted', opened(10, 5)],
    ['arrives after its end', known('unopened', 10), times(9), 'noted', { state: 'ended', sinceMs: 50 }],
    ['is the first known one of an open contract', known('active', null), times(10), 'noted', opened(10, 5)],
  ])('an opening that %s', (_, contract, at, outcome, change) => {
    expect(openedContract(contract, at)).toEqual(change && { outcome, change });
  });

  test.each<[string, Contract, ReturnType<typeof times>, string, object?]>([
    ['ends an active contract', known('active', 9), times(10), 'applied', ended(10)],
    ['ends a contract without a known time', known('active', null), times(10), 'applied', ended(10)],
    ['is older than the opening', known('active', 10), times(9), 'stale'],
    ['arrives before any opening', known('unopened', null), times(10), 'noted', leftUnopened(10)],
    ['is known', known('ended', 10), times(10), 'stale'],
    ['does not decrease a time', known('active', 60, 10), times(30, 30), 'applied', ended(60, 30)],
  ])('an end that %s', (_, contract, at, outcome, change) => {
    expect(endedContract(contract, at)).toEqual(change && { outcome, change });
  });

  test('an operator opens and ends a contract, whatever is known', () => {
    const nowMs = 100_000_000;
    const ahead = nowMs + 60_000;
    expect(openedByOperator(known('ended', ahead), nowMs)).toEqual(opened(ahead, nowMs, nowMs - 61_000));
    expect(openedByOperator(known('active', 1), nowMs)).toEqual(opened(ahead, 5, nowMs - 61_000));
    expect(endedByOperator(known('active', 1), nowMs)).toEqual(ended(ahead, nowMs));
    expect(endedByOperator(known('active', ahead + 5, nowMs + 1), nowMs)).toEqual(ended(ahead + 5, nowMs + 1));
  });
});

describe('an erasure', () => {
  const minuteMs = 60_000;
  const erased = { erasedAtMs: 10 * minuteMs };
  const timesOf = (claimedAtMs: number, countsFromMs: number) => ({ claimedAtMs, countsFromMs, receivedAtMs: 0 });

  test('is before a change if both times of the change are later, the claimed one by over a minute', () => {
    expect(isBeforeErasure(erased, timesOf(11 * minuteMs + 1, 10 * minuteMs + 1))).toBe(false);
    expect(isBeforeErasure(erased, timesOf(11 * minuteMs, 10 * minuteMs + 1))).toBe(true);
    expect(isBeforeErasure(erased, timesOf(11 * minuteMs + 1, 10 * minuteMs))).toBe(true);
  });

  test('that never happened is before nothing', () => {
    expect(isBeforeErasure({ erasedAtMs: null }, timesOf(0, 0))).toBe(false);
  });

  test('is not the latest change if the contract was changed after it', () => {
    const contract = { ...consentedContract, ...erased, gateways: byIds<Grant>([]) };
    const nothing = { stateClaimedAtMs: null, consentClaimedAtMs: null };
    const at = 11 * minuteMs;
    const since = (known: Partial<Contract>) => isChangedSinceErasure({ ...contract, ...nothing, ...known });
    expect([since({}), since({ stateClaimedAtMs: at }), since({ consentClaimedAtMs: at })]).toEqual([
      false,
      false,
      false,
    ]);
    expect([since({ stateClaimedAtMs: at + 1 }), since({ consentClaimedAtMs: at + 1 })]).toEqual([true, true]);
    const one = { gateways: byIds([['gw-1', grant]]) };
    expect([since(one), since({ ...one, erasedAtMs: null })]).toEqual([true, false]);
  });

  test('keeps the expiry of a row unless its owner opens a contract again', () => {
    const opening = { claimedAtMs: 1, countsFromMs: 1, receivedAtMs: 1 };
    const changeOf = (removeAt: number | null) => openedContract({ ...consentedContract, removeAt }, opening)?.change;
    expect(changeOf(5)).toHaveProperty('removeAt', null);
    expect(changeOf(null)).not.toHaveProperty('removeAt');
  });

  test('is kept longer by an end after an erasure, until no earlier event can arrive', () => {
    const ending = { claimedAtMs: 30, countsFromMs: 30, receivedAtMs: 30 };
    const changeOf = (removeAt: number | null) => endedContract({ ...consentedContract, removeAt }, ending)?.change;
    const untilThen = lateUntil(30);
    expect([changeOf(untilThen - 1), changeOf(untilThen + 1)]).toMatchObject([
      { removeAt: untilThen },
      { removeAt: untilThen + 1 },
    ]);
    expect(changeOf(null)).not.toHaveProperty('removeAt');
  });
});

test('an event arrives at most after its time in an archive, in a queue and in its dead-letter queue', () => {
  expect([lateUntil(0), lateUntil(1)]).toEqual([118 * 86_400, 118 * 86_400 + 1]);
});
