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

/** A fact whose sender tells its time, and which arrives at that time, or at another. */
type Fact = { readonly atMs: number; readonly arrivedAtMs?: number; readonly consentVersion: number | null };

const afterOne = (seen: Contract, { atMs, arrivedAtMs = atMs, consentVersion }: Fact) => {
  const times = timesOf({ nowMs: atMs, recordedAtMs: arrivedAtMs, arrivedAtMs });
  return consentVersion === null
    ? withdrawnConsent(seen, times)
    : acceptedConsent(seen, { consentVersion, requiredVersion }, times);
};

/** What the facts make of a contract, in the order in which they come. */
const contractAfter = (facts: readonly Fact[], from = contract()): Contract => {
  let seen = from;
  for (const fact of facts) seen = { ...seen, ...afterOne(seen, fact)?.change };
  return seen;
};

const accepted = (atMs: number, consentVersion = 3): Fact => ({ atMs, consentVersion });
const withdrawn = (atMs: number): Fact => ({ atMs, consentVersion: null });

const arriving = (arrivedAtMs: number, fact: Fact): Fact => ({ ...fact, arrivedAtMs });

/** The same by a clock that is ahead by so much. */
const ahead = (byMs: number, fact: Fact): Fact => ({ ...fact, atMs: fact.atMs + byMs, arrivedAtMs: fact.atMs });

describe('consent counts since', () => {
  test.each<[string, Fact[], number | null]>([
    ['its acceptance', [accepted(1)], 1],
    ['its first acceptance, if it was up to date all the time', [accepted(1), accepted(2), accepted(3, 4)], 1],
    ['the acceptance of the required version', [accepted(1, 2), accepted(2, 3)], 2],
    ['the acceptance after a withdrawal', [accepted(1), withdrawn(2), accepted(3)], 3],
    ['never, if it is withdrawn', [accepted(1), withdrawn(2)], null],
    ['the acceptance after a withdrawal that comes late', [accepted(1), accepted(3), withdrawn(2)], 3],
    ['its first acceptance, if a withdrawal from before it comes late', [accepted(2), accepted(3), withdrawn(1)], 2],
    ['the same, whatever comes later', [accepted(1), accepted(3), withdrawn(2), accepted(4), withdrawn(2)], 3],
    [
      'its begin, if the acceptance that stands was taken in by a clock that is behind',
      [arriving(20, accepted(1)), arriving(19, accepted(3)), arriving(21, withdrawn(2))],
      20,
    ],
    [
      'the acceptance that stands, if one withdrawal after another comes late',
      [accepted(1), accepted(5), withdrawn(2), withdrawn(3), accepted(6), withdrawn(5)],
      6,
    ],
    ['the arrival of its acceptance, not the time that it claims', [ahead(50, accepted(1))], 1],
    ['the arrival of an acceptance that comes late', [arriving(100, accepted(1))], 100],
  ])('%s', (_, facts, expected) => {
    expect(contractAfter(facts).consentedSinceMs).toBe(expected);
  });

  test('the one acceptance that a row without this attribute has', () => {
    const old = contract({ acceptedConsentVersion: 3, acceptedAtMs: 5 });
    expect(afterOne(old, accepted(9, 4))?.change.consentedSinceMs).toBe(5);
    const known = { acceptanceReceivedAtMs: 5, consentChangedAtMs: 5, consentClaimedAtMs: 5 };
    expect(afterOne({ ...old, ...known }, withdrawn(3))).toBeUndefined();
  });
});

describe('what an owner has withdrawn stays withdrawn, whatever the clocks show:', () => {
  const early = ahead(50_000, accepted(0));
  test.each<[string, Fact[]]>([
    ['accepted by a clock that is ahead', [early, withdrawn(3000)]],
    ['and that acceptance comes again, in a later message', [early, withdrawn(3000), arriving(5000, early)]],
    ['accepted by a clock that is ahead, and taken in late', [withdrawn(3000), early]],
    ['both by a clock that is ahead, in reverse', [ahead(50_000, withdrawn(3000)), arriving(4000, early)]],
    ['both told late, in reverse', [arriving(90_000, withdrawn(3000)), arriving(90_000, accepted(0))]],
    ['withdrawn at the time of the acceptance', [accepted(1), withdrawn(1)]],
    ['accepted at the time of the withdrawal', [withdrawn(1), accepted(1)]],
  ])('%s', (_, facts) => {
    expect(contractAfter(facts)).toMatchObject(withoutConsent);
  });

  test('an acceptance that follows counts, with a clock that is ahead all the time', () => {
    const facts = [accepted(0), withdrawn(10_000), accepted(13_000)].map((fact) => ahead(50_000, fact));
    expect(contractAfter(facts)).toMatchObject({ acceptedConsentVersion: 3, acceptedAtMs: 13_000 });
    // The same message is received again.
    expect(contractAfter([...facts, ...facts])).toEqual(contractAfter(facts));
  });

  test('a withdrawal that a clock behind tells counts, and so does the acceptance that follows', () => {
    const facts = [accepted(0), withdrawn(10_000), accepted(13_000)].map((fact) => ahead(-50_000, fact));
    const versions = facts.map((_, index) => contractAfter(facts.slice(0, index + 1)).acceptedConsentVersion);
    expect(versions).toEqual([3, null, 3]);
  });
});

describe('an operator acts upon what stands, whatever its time', () => {
  const nowMs = 100_000;
  const withdrawnThen = (facts: readonly Fact[]) => {
    const seen = contractAfter(facts);
    return { ...seen, ...withdrawnByOperator(seen, nowMs) };
  };
  const acceptedThen = (facts: readonly Fact[]) => {
    const seen = contractAfter(facts);
    return { ...seen, ...acceptedByOperator(seen, { consentVersion: 3, requiredVersion }, nowMs) };
  };

  test('withdraws what a clock ahead has accepted, and no repeat of it nor any that was on its way revives it', () => {
    const acceptance = ahead(50_000, accepted(nowMs - 1000));
    const other = ahead(60_000, accepted(nowMs - 1));
    expect(contractAfter([acceptance, other], withdrawnThen([acceptance]))).toMatchObject(withoutConsent);
  });

  test('an acceptance from after it counts, a minute later at the latest', () => {
    const seen = withdrawnThen([accepted(0)]);
    expect(contractAfter([accepted(nowMs + 60_001)], seen).acceptedConsentVersion).toBe(3);
    expect(contractAfter([accepted(nowMs + 60_000)], seen)).toMatchObject(withoutConsent);
  });

  test('accepts what was withdrawn, by whatever clock, as of now', () => {
    const seen = acceptedThen([accepted(0), ahead(50_000, withdrawn(nowMs - 1))]);
    expect(seen).toMatchObject({ acceptedConsentVersion: 3, acceptedAtMs: nowMs, consentedSinceMs: nowMs });
  });

  // A clock may be a minute behind, and what an operator is told as the time of the service a second ahead.
  test.each([
    ['ends', 61_000],
    ['does not end', 61_001],
  ])('a withdrawal that claims to be before it %s it: by %i ms', (what, byMs) => {
    const seen = contractAfter([arriving(nowMs + 1, withdrawn(nowMs - byMs))], acceptedThen([]));
    expect(seen.acceptedConsentVersion).toBe(what === 'ends' ? null : 3);
  });
});

describe('an outcome says whether access has changed', () => {
  test.each<[string, Fact[], 'applied' | 'noted' | undefined]>([
    ['an acceptance', [accepted(1)], 'applied'],
    ['an acceptance of a version that does not do', [accepted(1, 2)], 'noted'],
    ['an acceptance of a newer version', [accepted(1), accepted(2, 4)], 'noted'],
    ['an acceptance of an older version', [accepted(1, 4), accepted(2)], undefined],
    ['one of a newer version that arrives with the first', [accepted(10), arriving(10, accepted(20, 4))], 'noted'],
    ['one that arrives with a withdrawal', [withdrawn(10), arriving(10, accepted(20))], undefined],
    ['a withdrawal that arrived before, and claims to be later', [accepted(10), arriving(5, withdrawn(20))], 'applied'],
    ['a withdrawal that arrived before, and claims the same', [accepted(10), arriving(5, withdrawn(10))], 'applied'],
    ['a withdrawal that claims to be later', [withdrawn(10), arriving(10, withdrawn(20))], 'noted'],
    ['a withdrawal that arrives again', [arriving(10, withdrawn(60)), arriving(20, withdrawn(60))], 'noted'],
    ['a withdrawal', [accepted(1), withdrawn(2)], 'applied'],
    ['a withdrawal of what is withdrawn', [withdrawn(1), withdrawn(2)], 'noted'],
    ['a withdrawal of what was never accepted', [withdrawn(1)], 'noted'],
    ['a withdrawal that comes late, between two acceptances', [accepted(1), accepted(3), withdrawn(2)], 'noted'],
    ['the same once more', [accepted(1), accepted(3), withdrawn(2), withdrawn(2)], undefined],
    ['and after another acceptance', [accepted(1), accepted(3), withdrawn(2), accepted(4), withdrawn(2)], undefined],
    [
      'a withdrawal that comes late, between two acceptances that arrived at once',
      [arriving(9, accepted(1)), arriving(9, accepted(3)), arriving(10, withdrawn(2))],
      'noted',
    ],
    ['a withdrawal that comes late', [accepted(2), withdrawn(1)], undefined],
    ['a repeated withdrawal', [withdrawn(1), withdrawn(1)], undefined],
  ])('%s', (_, facts, expected) => {
    const last = facts.at(-1) as Fact;
    expect(afterOne(contractAfter(facts.slice(0, -1)), last)?.outcome).toBe(expected);
  });
});

/** In the order of time; of equal times a withdrawal is the last. */
const byTime = (facts: readonly Fact[]) =>
  facts.toSorted(
    (one, other) =>
      one.atMs - other.atMs || Number(one.consentVersion === null) - Number(other.consentVersion === null),
  );

/** Facts of a few moments, each delivered up to three times, in any order. */
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

describe('whatever the order in which facts come, and however often', () => {
  test('consent ends as in the order of time, and never counts since an earlier moment', () => {
    fc.assert(
      fc.property(deliveries(fc.constant(3)), ({ facts, delivered }) => {
        const { consentedSinceMs: sorted, ...expected } = contractAfter(byTime(facts));
        const { consentedSinceMs: since, ...actual } = contractAfter(delivered);
        const began = { consentBeganAtMs: since, consentBeganClaimedAtMs: since };
        expect(actual).toEqual({ ...expected, ...began });
        expect([since === null, Number(since) >= Number(sorted)]).toEqual([sorted === null, true]);
      }),
    );
  });

  test('each changes something once', () => {
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

  test('consent is never to more than in the order of time, even if somebody accepts an older version', () => {
    fc.assert(
      fc.property(deliveries(fc.integer({ min: 1, max: 5 })), ({ facts, delivered }) => {
        const [sorted, actual] = [contractAfter(byTime(facts)), contractAfter(delivered)];
        expect(actual.acceptedConsentVersion ?? 0).toBeLessThanOrEqual(sorted.acceptedConsentVersion ?? 0);
      }),
    );
  });
});
