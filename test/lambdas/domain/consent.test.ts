import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptedConsent, noConsent, withdrawnConsent } from '../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';

const contract = (consent: Partial<Contract> = {}): Contract => ({
  companyId: 'acme',
  name: 'Acme',
  state: 'active',
  sinceMs: 1,
  userId: 'owner-1',
  allowedCidrs: [],
  webhookHosts: [],
  ...noConsent,
  ...consent,
});

const requiredVersion = 3;

type Fact = { readonly atMs: number; readonly consentVersion: number | null };

/** What the facts make of a contract, in the order in which they come. */
const contractAfter = (facts: readonly Fact[]): Contract => {
  let seen = contract();
  for (const { atMs, consentVersion } of facts)
    seen = {
      ...seen,
      ...(consentVersion === null
        ? withdrawnConsent(seen, atMs)
        : acceptedConsent(seen, { atMs, consentVersion, requiredVersion })),
    };
  return seen;
};

const accepted = (atMs: number, consentVersion = 3): Fact => ({ atMs, consentVersion });
const withdrawn = (atMs: number): Fact => ({ atMs, consentVersion: null });

describe('consent counts since', () => {
  test.each<[string, Fact[], number | null]>([
    ['its acceptance', [accepted(1)], 1],
    ['its first acceptance, if it was up to date all the time', [accepted(1), accepted(2), accepted(3, 4)], 1],
    ['the acceptance of the required version', [accepted(1, 2), accepted(2, 3)], 2],
    ['the acceptance after a withdrawal', [accepted(1), withdrawn(2), accepted(3)], 3],
    ['never, if it is withdrawn', [accepted(1), withdrawn(2)], null],
    ['the acceptance after a withdrawal that comes late', [accepted(1), accepted(3), withdrawn(2)], 3],
    ['its acceptance, if a withdrawal from before it comes late', [accepted(2), accepted(3), withdrawn(1)], 2],
    ['the later of two acceptances, if the first was withdrawn at once', [accepted(1), accepted(2), withdrawn(1)], 2],
  ])('%s', (_, facts, expected) => {
    expect(contractAfter(facts).consentedSinceMs).toBe(expected);
  });

  test('the one acceptance that a row without this attribute has', () => {
    const old = contract({ acceptedConsentVersion: 3, acceptedAtMs: 5 });
    expect(acceptedConsent(old, { atMs: 9, consentVersion: 4, requiredVersion })?.consentedSinceMs).toBe(5);
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
        expect(actual).toEqual(expected);
        expect([since === null, Number(since) >= Number(sorted)]).toEqual([sorted === null, true]);
      }),
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
