import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byIds, entriesOf, findById } from '../../../lambdas/domain/by-id.ts';
import {
  changedGrant as changedGrantOf,
  type DecidedGrant,
  type GatewayOwners,
  grantChangedByOperator as grantChangedByOperatorOf,
  granterOf as granterIn,
  grantOf,
  type KnownGrant,
  onlyErased,
  withoutErased,
} from '../../../lambdas/domain/grant.ts';
import { seed } from '../../support/random.ts';

type Owners = Readonly<Record<string, KnownGrant>>;

const stored = (owners: Owners) => byIds(Object.entries(owners));
const plain = (decided: DecidedGrant | undefined) =>
  decided && { ...decided, owners: Object.fromEntries(entriesOf(decided.owners)) as Owners };

const changedGrant = (owners: Owners, ...rest: Rest<typeof changedGrantOf>) =>
  plain(changedGrantOf(stored(owners), ...rest));
const grantChangedByOperator = (owners: Owners, ...rest: Rest<typeof grantChangedByOperatorOf>) =>
  plain(grantChangedByOperatorOf(stored(owners), ...rest));
const granterOf = (owners: Owners) => granterIn(stored(owners));

type Rest<Decide> = Decide extends (owners: never, ...rest: infer Others) => unknown ? Others : never;

const known = (isGranted: boolean, claimedAtMs: number, countsFromMs = claimedAtMs): KnownGrant => ({
  isGranted,
  claimedAtMs,
  countsFromMs,
  receivedAtMs: 500,
});
const times = (claimedAtMs: number, countsFromMs = claimedAtMs) => ({ claimedAtMs, countsFromMs, receivedAtMs: 500 });
const grants = (userId = 'one') => ({ userId, isGranted: true });
const revokes = (userId = 'one') => ({ userId, isGranted: false });

const revoked = (grantClaimedAtMs: number, ...at: [number, number?]) => ({ ...known(false, ...at), grantClaimedAtMs });

describe('a change by an event', () => {
  type Case = [string, Owners, ReturnType<typeof grants>, ReturnType<typeof times>, string, Owners?];
  test.each<Case>([
    ['grants an unknown gateway', {}, grants(), times(10), 'applied', { one: known(true, 10) }],
    [
      'grants again what was revoked',
      { one: known(false, 9) },
      grants(),
      times(10),
      'applied',
      { one: known(true, 10) },
    ],
    ['grants again what is granted', { one: known(true, 9) }, grants(), times(10), 'applied', { one: known(true, 10) }],
    ['that is known grants nothing', { one: known(true, 10) }, grants(), times(10), 'stale'],
    [
      'from before a revocation grants nothing',
      { one: known(false, 10) },
      grants(),
      times(9),
      'noted',
      { one: revoked(9, 10) },
    ],
    ['and nothing when it is repeated', { one: revoked(9, 10) }, grants(), times(9), 'stale'],
    [
      'and ends what another owner granted before it',
      { one: known(false, 10), two: known(true, 8) },
      grants(),
      times(9),
      'applied',
      { one: revoked(9, 10), two: revoked(8, 9) },
    ],
    [
      'but not what another owner has granted since',
      { one: known(false, 10), two: known(true, 9) },
      grants(),
      times(9),
      'stale',
    ],
    [
      'that counts from before a revocation grants nothing',
      { one: known(false, 9, 9) },
      grants(),
      times(10, 8),
      'noted',
      { one: revoked(10, 9, 9) },
    ],
    ['revokes', { one: known(true, 9) }, revokes(), times(10), 'applied', { one: revoked(9, 10) }],
    ['from before the grant revokes nothing', { one: known(true, 10) }, revokes(), times(9), 'stale'],
    ['revokes what was never granted', {}, revokes(), times(10), 'noted', { one: known(false, 10) }],
    ['revokes again', { one: known(false, 9) }, revokes(), times(10), 'noted', { one: known(false, 10) }],
    ['that is known revokes nothing', { one: known(false, 10) }, revokes(), times(10), 'stale'],
    [
      'does not decrease a time',
      { one: known(true, 60, 10) },
      revokes(),
      times(30, 30),
      'applied',
      { one: revoked(60, 60, 30) },
    ],
  ])('%s', (_, owners, change, at, outcome, after) => {
    expect(changedGrant(owners, change, at)).toEqual(after && { outcome, owners: after });
  });
});

test('an owner may have an id that is a property of all objects', () => {
  const decided = changedGrant({}, grants('constructor'), times(10));
  expect(Object.entries(decided?.owners ?? {})).toEqual([['constructor', known(true, 10)]]);
});

describe('a gateway of two owners in turn', () => {
  const ofOne = { one: known(true, 10) };

  test('belongs to the second owner from the second grant on', () => {
    const owners = { one: revoked(10, 20), two: known(true, 20) };
    expect(changedGrant(ofOne, grants('two'), times(20))).toEqual({ outcome: 'applied', owners });
    expect([granterOf(ofOne), granterOf(owners)]).toEqual(['one', 'two']);
    // An earlier grant of the first owner is stale, and the first owner's revocation changes nothing for the second.
    expect(changedGrant(owners, grants('one'), times(15))).toBeUndefined();
    expect(granterOf(changedGrant(owners, revokes('one'), times(25))?.owners ?? owners)).toBe('two');
  });

  test.each([9, 10])('stays with the first owner if the second grant is not newer: %i', (at) => {
    expect(changedGrant(ofOne, grants('two'), times(at))).toBeUndefined();
  });

  test('keeps the later times of the first grant: a clock that is ahead gives nothing back', () => {
    const ahead = { one: known(true, 15, 10) };
    const moved = changedGrant(ahead, grants('two'), times(20, 12))?.owners;
    expect(moved?.one).toEqual(revoked(15, 20, 12));
    const late = changedGrant({ one: known(true, 15, 14) }, grants('two'), times(20, 12))?.owners;
    expect(late?.one).toEqual(revoked(15, 20, 14));
  });

  test('does not return to the first owner by a late grant, even after the second has revoked it', () => {
    const granted = changedGrant({}, grants('two'), times(10))?.owners ?? {};
    const owners = changedGrant(granted, revokes('two'), times(20))?.owners ?? {};
    expect(changedGrant(owners, grants('one'), times(9, 30))).toBeUndefined();
    expect(changedGrant(owners, grants('one'), times(10, 30))).toBeUndefined();
    expect(granterOf(changedGrant(owners, grants('one'), times(15))?.owners ?? {})).toBe('one');
  });

  test('returns to the first owner by a newer grant', () => {
    const owners = { one: known(false, 20), two: known(true, 20) };
    expect(granterOf(changedGrant(owners, grants('one'), times(30))?.owners ?? owners)).toBe('one');
  });
});

describe('an operator', () => {
  const nowMs = 100_000_000;
  const given = { isGranted: true, claimedAtMs: nowMs + 60_000, countsFromMs: nowMs - 61_000, receivedAtMs: nowMs };
  const taken = { isGranted: false, claimedAtMs: nowMs + 60_000, countsFromMs: nowMs, receivedAtMs: nowMs };

  test('grants whatever is known, and leaves granted gateways alone', () => {
    for (const owners of [{}, { one: known(false, nowMs + 50_000) }])
      expect(grantChangedByOperator(owners, grants(), nowMs)).toEqual({ outcome: 'applied', owners: { one: given } });
    expect(grantChangedByOperator({ one: known(true, 1) }, grants(), nowMs)).toBeUndefined();
  });

  test('grants a gateway to another owner, which revokes the first grant', () => {
    const decided = grantChangedByOperator({ one: known(true, 1) }, grants('two'), nowMs);
    expect(decided).toEqual({
      outcome: 'applied',
      owners: { one: { ...given, isGranted: false, grantClaimedAtMs: 1 }, two: given },
    });
  });

  test('revokes whatever is known; no time decreases', () => {
    expect(grantChangedByOperator({ one: known(true, 1) }, revokes(), nowMs)).toEqual({
      outcome: 'applied',
      owners: { one: { ...taken, grantClaimedAtMs: 1 } },
    });
    expect(grantChangedByOperator({}, revokes(), nowMs)).toEqual({ outcome: 'noted', owners: { one: taken } });
    const ahead = { one: known(true, nowMs + 70_000, nowMs + 1) };
    expect(grantChangedByOperator(ahead, revokes(), nowMs)?.owners.one).toMatchObject({
      claimedAtMs: nowMs + 70_000,
      countsFromMs: nowMs + 1,
    });
    const ofAnother = { two: known(true, 1) };
    expect(grantChangedByOperator(ofAnother, revokes(), nowMs)).toEqual({
      outcome: 'noted',
      owners: { two: known(true, 1), one: taken },
    });
  });
});

test('partners see a time of a grant that is no later than its receipt', () => {
  expect(grantOf(known(true, 400))).toEqual({ grantedAtMs: 400, receivedAtMs: 500 });
  expect(grantOf(known(true, 600))).toEqual({ grantedAtMs: 500, receivedAtMs: 500 });
});

describe('without an erased owner', () => {
  test.each<[string, Owners, Owners]>([
    [
      'the time of the newest grant stays',
      { one: known(true, 5), erased: known(true, 10) },
      { one: known(true, 5), '*': revoked(10, 10) },
    ],
    ['also if it was the only one', { erased: revoked(10, 11) }, { '*': revoked(10, 11) }],
    ['no older time stays', { one: known(true, 10), erased: revoked(5, 6) }, { one: known(true, 10) }],
    ['no equal time stays', { one: revoked(10, 11), erased: revoked(10, 12) }, { one: revoked(10, 11) }],
    ['nor that of a mere revocation', { erased: known(false, 10) }, {}],
    [
      'a later time replaces that of another erasure',
      { '*': revoked(3, 4), erased: revoked(5, 6) },
      { '*': revoked(5, 6) },
    ],
    ['an earlier one does not', { '*': revoked(5, 6), erased: revoked(3, 7) }, { '*': revoked(5, 6) }],
    ['others stay if the owner is unknown', { one: known(true, 10) }, { one: known(true, 10) }],
  ])('%s', (_, owners, after) => {
    expect(withoutErased(stored(owners), 'erased')).toEqual(stored(after));
  });

  test.each<[Owners, KnownGrant | undefined]>([
    [{}, undefined],
    [{ one: known(true, 10) }, undefined],
    [{ one: known(true, 10), '*': revoked(5, 6) }, undefined],
    [{ '*': revoked(5, 6) }, revoked(5, 6)],
  ])('a gateway without other owners is known by the time that stays: %j', (owners, erased) => {
    expect(onlyErased(stored(owners))).toEqual(erased);
  });
});

test('an erasure keeps as stale what was stale: grants of other owners have the same outcome as without it', () => {
  const ids = ['one', 'two', 'three', 'erased'];
  const at = fc.record({ claimedAtMs: fc.nat(20), countsFromMs: fc.nat(20), receivedAtMs: fc.nat(20) });
  const change = fc.record({ userId: fc.constantFrom(...ids), isGranted: fc.boolean(), at });
  const after = (owners: GatewayOwners, { at: times, ...what }: Each<typeof change>) =>
    changedGrantOf(owners, what, times)?.owners ?? owners;
  fc.assert(
    fc.property(fc.array(change), fc.array(change.filter(({ userId }) => userId !== 'erased')), (before, late) => {
      // An erasure revokes the owner's grants first.
      const withOwner = grantChangedByOperatorOf(before.reduce(after, {}), { ...revokes('erased') }, 0)?.owners ?? {};
      let owners = { withOwner, without: withoutErased(withOwner, 'erased') };
      expect(findById(owners.without, 'erased')).toBeUndefined();
      for (const each of late) {
        owners = { withOwner: after(owners.withOwner, each), without: after(owners.without, each) };
        expect(granterIn(owners.without)).toBe(granterIn(owners.withOwner));
      }
    }),
    { seed },
  );
});

type Each<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;
