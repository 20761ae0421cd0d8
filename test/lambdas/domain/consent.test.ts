import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  acceptedByOperator,
  acceptedConsent,
  noConsent,
  withdrawnByOperator,
  withdrawnConsent,
} from '../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { timesOf } from '../../../lambdas/domain/permission.ts';

const contract = (consent: Partial<Contract> = {}): Contract => ({
  companyId: 'acme',
  state: 'active',
  sinceMs: 1,
  gateways: {},
  stateChangedAtMs: null,
  stateClaimedAtMs: null,
  userId: 'owner-1',
  erasedAtMs: null,
  removeAt: null,
  ...noConsent,
  ...consent,
});

const requiredVersion = 3;
const withoutConsent = { acceptedConsentVersion: null, acceptedAtMs: null, consentedSinceMs: null };

/** A fact with its sender's time, which arrives at that time or at another. */
type Fact = { readonly atMs: number; readonly arrivedAtMs?: number; readonly consentVersion: number | null };

const afterOne = (seen: Contract, { atMs, arrivedAtMs = atMs, consentVersion }: Fact) => {
  const times = timesOf({ nowMs: atMs, recordedAtMs: arrivedAtMs, arrivedAtMs });
  return consentVersion === null
    ? withdrawnConsent(seen, times)
    : acceptedConsent(seen, { consentVersion, requiredVersion }, times);
};

/** Returns the contract after the facts, in the order of their arrival. */
const contractAfter = (facts: readonly Fact[], from = contract()): Contract => {
  let seen = from;
  for (const fact of facts) seen = { ...seen, ...afterOne(seen, fact)?.change };
  return seen;
};

const accepted = (atMs: number, consentVersion = 3): Fact => ({ atMs, consentVersion });
const withdrawn = (atMs: number): Fact => ({ atMs, consentVersion: null });

const arriving = (arrivedAtMs: number, fact: Fact): Fact => ({ ...fact, arrivedAtMs });

/** Returns the fact as a clock sends it that is ahead by this time. */
const ahead = (byMs: number, fact: Fact): Fact => ({ ...fact, atMs: fact.atMs + byMs, arrivedAtMs: fact.atMs });

describe('consent counts since', () => {
  test.each<[string, Fact[], number | null]>([
    ['its acceptance', [accepted(1)], 1],
    ['its first acceptance, if it was up to date all the time', [accepted(1), accepted(2), accepted(3, 4)], 1],
    ['the acceptance of the required version', [accepted(1, 2), accepted(2, 3)], 2],
    ['the acceptance after a withdrawal', [accepted(1), withdrawn(2), accepted(3)], 3],
    ['never, if it is withdrawn', [accepted(1), withdrawn(2)], null],
    ['the acceptance after a withdrawal that arrives late', [accepted(1), accepted(3), withdrawn(2)], 3],
    ['its first acceptance, if an earlier withdrawal arrives late', [accepted(2), accepted(3), withdrawn(1)], 2],
    ['the same, whatever arrives later', [accepted(1), accepted(3), withdrawn(2), accepted(4), withdrawn(2)], 3],
    [
      'its beginning, if a clock that is behind received the current acceptance',
      [arriving(20, accepted(1)), arriving(19, accepted(3)), arriving(21, withdrawn(2))],
      20,
    ],
    [
      'the current acceptance, if one withdrawal after another arrives late',
      [accepted(1), accepted(5), withdrawn(2), withdrawn(3), accepted(6), withdrawn(5)],
      6,
    ],
    ['the arrival of its acceptance, not its claimed time', [ahead(50, accepted(1))], 1],
    ['the late arrival of its acceptance', [arriving(100, accepted(1))], 100],
  ])('%s', (_, facts, expected) => {
    expect(contractAfter(facts).consentedSinceMs).toBe(expected);
  });
});

describe('consent is given since', () => {
  test.each<[string, Fact[], number | null]>([
    ['its first acceptance, of whatever version', [accepted(1, 2), accepted(2, 3), accepted(3, 4)], 1],
    ['the first acceptance after its last withdrawal', [accepted(1), withdrawn(2), accepted(3, 2), accepted(4)], 3],
    ['never, if it is withdrawn', [accepted(1), withdrawn(2)], null],
    ['its renewal, if a withdrawal from before that arrives late', [accepted(1, 2), accepted(3), withdrawn(2)], 3],
    ['its first acceptance, if an earlier withdrawal arrives late', [accepted(2, 2), accepted(3), withdrawn(1)], 2],
    ['the same, whatever arrives later', [accepted(1, 2), accepted(3), withdrawn(2), accepted(4), withdrawn(2)], 3],
    ['the arrival of its acceptance, not its claimed time', [ahead(50, accepted(1, 2))], 1],
    [
      'its beginning, if a clock that is behind received the current acceptance',
      [arriving(20, accepted(1)), arriving(19, accepted(3)), arriving(21, withdrawn(2))],
      20,
    ],
  ])('%s', (_, facts, expected) => {
    expect(contractAfter(facts).consentGivenSinceMs).toBe(expected);
  });
});

describe('what an owner has withdrawn stays withdrawn, whatever the clocks show:', () => {
  const early = ahead(50_000, accepted(0));
  test.each<[string, Fact[]]>([
    ['accepted by a clock that is ahead', [early, withdrawn(3000)]],
    ['and that acceptance arrives again, in a later message', [early, withdrawn(3000), arriving(5000, early)]],
    ['accepted by a clock that is ahead, and received late', [withdrawn(3000), early]],
    ['both by a clock that is ahead, in reverse order', [ahead(50_000, withdrawn(3000)), arriving(4000, early)]],
    ['both received late, in reverse order', [arriving(90_000, withdrawn(3000)), arriving(90_000, accepted(0))]],
    ['withdrawn at the time of the acceptance', [accepted(1), withdrawn(1)]],
    ['accepted at the time of the withdrawal', [withdrawn(1), accepted(1)]],
  ])('%s', (_, facts) => {
    expect(contractAfter(facts)).toMatchObject(withoutConsent);
  });

  test('a later acceptance counts, if the same clock that is ahead sends all', () => {
    const facts = [accepted(0), withdrawn(10_000), accepted(13_000)].map((fact) => ahead(50_000, fact));
    expect(contractAfter(facts)).toMatchObject({ acceptedConsentVersion: 3, acceptedAtMs: 13_000 });
    // The same messages are received again.
    expect(contractAfter([...facts, ...facts])).toEqual(contractAfter(facts));
  });

  test('a withdrawal by a clock that is behind counts, and so does a later acceptance', () => {
    const facts = [accepted(0), withdrawn(10_000), accepted(13_000)].map((fact) => ahead(-50_000, fact));
    const versions = facts.map((_, index) => contractAfter(facts.slice(0, index + 1)).acceptedConsentVersion);
    expect(versions).toEqual([3, null, 3]);
  });
});

describe('an operator overrides what is known, whatever its time', () => {
  const nowMs = 100_000;
  const withdrawnThen = (facts: readonly Fact[]) => {
    const seen = contractAfter(facts);
    return { ...seen, ...withdrawnByOperator(seen, nowMs) };
  };
  const acceptedThen = (facts: readonly Fact[]) => {
    const seen = contractAfter(facts);
    return { ...seen, ...acceptedByOperator(seen, { consentVersion: 3, requiredVersion }, nowMs) };
  };

  test('withdraws an acceptance by a clock that is ahead, which no repeat or late message revives', () => {
    const acceptance = ahead(50_000, accepted(nowMs - 1000));
    const other = ahead(60_000, accepted(nowMs - 1));
    expect(contractAfter([acceptance, other], withdrawnThen([acceptance]))).toMatchObject(withoutConsent);
  });

  test('an acceptance after a withdrawal counts, after a minute at the latest', () => {
    const seen = withdrawnThen([accepted(0)]);
    expect(contractAfter([accepted(nowMs + 60_001)], seen).acceptedConsentVersion).toBe(3);
    expect(contractAfter([accepted(nowMs + 60_000)], seen)).toMatchObject(withoutConsent);
  });

  test('accepts what was withdrawn by any clock, at the current time', () => {
    const seen = acceptedThen([accepted(0), ahead(50_000, withdrawn(nowMs - 1))]);
    const since = { consentedSinceMs: nowMs, consentGivenSinceMs: nowMs };
    expect(seen).toMatchObject({ acceptedConsentVersion: 3, acceptedAtMs: nowMs, ...since });
  });

  test('renews what was outdated, which stays given since its first acceptance', () => {
    const since = { consentedSinceMs: nowMs, consentGivenSinceMs: 7 };
    expect(acceptedThen([accepted(7, 2)])).toMatchObject(since);
  });

  // A clock may be a minute behind, and the time of the service that an operator gets may be a second ahead.
  test.each([
    ['ends', 61_000],
    ['does not end', 61_001],
  ])('a withdrawal that claims to be earlier %s it: by %i ms', (what, byMs) => {
    const seen = contractAfter([arriving(nowMs + 1, withdrawn(nowMs - byMs))], acceptedThen([]));
    expect(seen.acceptedConsentVersion).toBe(what === 'ends' ? null : 3);
  });
});

describe('an outcome says whether access has changed', () => {
  test.each<[string, Fact[], 'applied' | 'noted' | undefined]>([
    ['an acceptance', [accepted(1)], 'applied'],
    ['an acceptance of a version that does not suffice', [accepted(1, 2)], 'noted'],
    ['an acceptance of a newer version', [accepted(1), accepted(2, 4)], 'noted'],
    ['an acceptance of an older version', [accepted(1, 4), accepted(2)], undefined],
    [
      'an acceptance of a newer version that arrives with the first',
      [accepted(10), arriving(10, accepted(20, 4))],
      'noted',
    ],
    ['an acceptance that arrives with a withdrawal', [withdrawn(10), arriving(10, accepted(20))], undefined],
    ['a withdrawal that arrived before, and claims to be later', [accepted(10), arriving(5, withdrawn(20))], 'applied'],
    ['a withdrawal that arrived before, and claims the same', [accepted(10), arriving(5, withdrawn(10))], 'applied'],
    ['a withdrawal that claims to be later', [withdrawn(10), arriving(10, withdrawn(20))], 'noted'],
    ['a withdrawal that arrives again', [arriving(10, withdrawn(60)), arriving(20, withdrawn(60))], 'noted'],
    ['a withdrawal', [accepted(1), withdrawn(2)], 'applied'],
    ['a withdrawal of withdrawn consent', [withdrawn(1), withdrawn(2)], 'noted'],
    ['a withdrawal of what was never accepted', [withdrawn(1)], 'noted'],
    ['a late withdrawal, between two acceptances', [accepted(1), accepted(3), withdrawn(2)], 'noted'],
    ['the same again', [accepted(1), accepted(3), withdrawn(2), withdrawn(2)], undefined],
    [
      'the same after another acceptance',
      [accepted(1), accepted(3), withdrawn(2), accepted(4), withdrawn(2)],
      undefined,
    ],
    [
      'a late withdrawal, between two acceptances that arrived together',
      [arriving(9, accepted(1)), arriving(9, accepted(3)), arriving(10, withdrawn(2))],
      'noted',
    ],
    ['a late withdrawal', [accepted(2), withdrawn(1)], undefined],
    ['a repeated withdrawal', [withdrawn(1), withdrawn(1)], undefined],
  ])('%s', (_, facts, expected) => {
    const last = facts.at(-1) as Fact;
    expect(afterOne(contractAfter(facts.slice(0, -1)), last)?.outcome).toBe(expected);
  });
});

/** Sorts facts by time; at equal times a withdrawal is last. */
const byTime = (facts: readonly Fact[]) =>
  facts.toSorted(
    (one, other) =>
      one.atMs - other.atMs || Number(one.consentVersion === null) - Number(other.consentVersion === null),
  );

/** Facts at a few times, each delivered up to three times, in any order. */
const deliveries = (version: fc.Arbitrary<number>) =>
  fc
    .uniqueArray(fc.record({ atMs: fc.integer({ min: 1, max: 8 }), consentVersion: fc.option(version) }), {
      selector: ({ atMs, consentVersion }) => `${atMs} ${consentVersion === null}`,
      maxLength: 10,
    })
    .chain((facts) =>
      fc
        .shuffledSubarray([...facts, ...facts, ...facts], { minLength: facts.length })
        .map((some) => ({ facts, delivered: [...some, ...facts.filter((fact) => !some.includes(fact))] })),
    );

describe('in whatever order facts arrive, and however often', () => {
  test('consent ends as in the order of time, and never counts from an earlier moment', () => {
    fc.assert(
      fc.property(deliveries(fc.constant(3)), ({ facts, delivered }) => {
        const { consentedSinceMs: sorted, ...expected } = contractAfter(byTime(facts));
        const { consentedSinceMs: since, ...actual } = contractAfter(delivered);
        const began = { consentGivenSinceMs: since, consentBeganAtMs: since, consentBeganClaimedAtMs: since };
        expect(actual).toEqual({ ...expected, ...began });
        expect([since === null, Number(since) >= Number(sorted)]).toEqual([sorted === null, true]);
      }),
    );
  });

  test('consent is given since its first acceptance after the last withdrawal, and never from an earlier moment', () => {
    fc.assert(
      fc.property(deliveries(fc.integer({ min: 1, max: 5 })), ({ facts, delivered }) => {
        const sorted = byTime(facts);
        const last = sorted.findLastIndex(({ consentVersion }) => consentVersion === null);
        const since = sorted[last + 1]?.atMs ?? null;
        expect(contractAfter(sorted).consentGivenSinceMs).toBe(since);
        const { consentGivenSinceMs: actual } = contractAfter(delivered);
        expect(actual ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(since ?? Number.POSITIVE_INFINITY);
      }),
    );
  });

  test('each fact changes something at most once', () => {
    fc.assert(
      fc.property(deliveries(fc.integer({ min: 1, max: 5 })), ({ delivered }) => {
        const changed: Fact[] = [];
        let seen = contract();
        for (const fact of delivered) {
          const change = afterOne(seen, fact)?.change;
          if (change) changed.push(fact);
          seen = { ...seen, ...change };
        }
        expect(new Set(changed).size).toBe(changed.length);
      }),
      { numRuns: 3000 },
    );
  });

  test('the accepted version is never above that in the order of time', () => {
    fc.assert(
      fc.property(deliveries(fc.integer({ min: 1, max: 5 })), ({ facts, delivered }) => {
        const [sorted, actual] = [contractAfter(byTime(facts)), contractAfter(delivered)];
        expect(actual.acceptedConsentVersion ?? 0).toBeLessThanOrEqual(sorted.acceptedConsentVersion ?? 0);
      }),
    );
  });
});
