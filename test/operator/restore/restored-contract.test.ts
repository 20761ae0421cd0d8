import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unopenedContract } from '../../../lambdas/data/contracts/contracts.ts';
import { acceptedConsent, noConsent, withdrawnConsent } from '../../../lambdas/domain/consent.ts';
import { type Contract, endedContract, openedContract } from '../../../lambdas/domain/contract.ts';
import { type ChangeTimes, timesOf } from '../../../lambdas/domain/permission.ts';
import { revocationsOfContract } from '../../../operator/restore/revocations.ts';
import { seed } from '../../support/random.ts';

const decide = {
  opening: openedContract,
  end: endedContract,
  acceptance: (contract: Contract, times: ChangeTimes) =>
    acceptedConsent(contract, { consentVersion: 3, requiredVersion: 3 }, times),
  withdrawal: withdrawnConsent,
};

type Event = { readonly kind: keyof typeof decide; readonly aheadMs: number; readonly lateMs: number };

const events = fc.array(
  fc.record({
    kind: fc.constantFrom(...(Object.keys(decide) as Event['kind'][])),
    aheadMs: fc.nat(20),
    lateMs: fc.oneof(fc.constant(0), fc.nat(100)),
  }),
);

/** Returns a contract after events, one every 10 ms, and the last value that they changed of each name. */
const after = (contract: Contract, all: readonly Event[], startMs: number) => {
  let [known, recorded] = [contract, {} as Partial<Contract>];
  for (const [index, { kind, aheadMs, lateMs }] of all.entries()) {
    const arrivedAtMs = startMs + index * 10;
    const times = timesOf({ nowMs: arrivedAtMs + aheadMs - lateMs, arrivedAtMs, recordedAtMs: arrivedAtMs });
    const change = decide[kind](known, times)?.change;
    [known, recorded] = [
      { ...known, ...change },
      { ...recorded, ...change },
    ];
  }
  return { known, recorded };
};

const stateOf = ({ state, sinceMs, stateChangedAtMs, stateClaimedAtMs }: Contract) => ({
  state,
  sinceMs,
  stateChangedAtMs,
  stateClaimedAtMs,
});

const consentOf = (contract: Contract) =>
  Object.keys(noConsent).map((name) => [name, contract[name as keyof typeof noConsent]]);

test('a contract that was lost and restored is as before, except for what was given since', () => {
  fc.assert(
    fc.property(events, events, (before, since) => {
      const restored = after(unopenedContract({ companyId: 'acme', userId: 'owner' }), before, 1000).known;
      const { known, recorded } = after(restored, since, 5000);
      const lost = { ...restored, ...revocationsOfContract(restored, recorded) };
      const isGivenSince = known.state === 'active' && restored.state !== 'active';
      if (!isGivenSince) expect(stateOf(lost)).toEqual(stateOf(known));
      else expect(lost.state).not.toBe('active');
      const isAcceptedSince = known.acceptedConsentVersion !== null && restored.acceptedConsentVersion === null;
      if (!isAcceptedSince) expect(consentOf(lost)).toEqual(consentOf(known));
      else expect(lost.acceptedConsentVersion).toBeNull();
    }),
    { seed, numRuns: 1000 },
  );
});
