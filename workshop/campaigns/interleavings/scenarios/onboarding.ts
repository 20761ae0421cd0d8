import assert from 'node:assert/strict';
import { generateKey } from '../../../../lambdas/domain/api-key.ts';
import { type Onboarding, onboardCompany } from '../../../../operator/companies/onboarding.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import { actOf, keysAreOnRecord, keysFitSlots, keysIn } from '../../../../test/support/stage/rows.ts';
import { startMs } from '../../../../test/support/world.ts';
import { answersOf, type Scenario } from '../scenario.ts';

const companyId = 'a-company';

/** The company as one operator onboards it; its name identifies the operator. */
const onboardingBy = (name: string): Onboarding => ({
  company: { companyId, name, state: 'active', allowedCidrs: ['127.0.0.1/32'], webhookHosts: [] },
  key: generateKey(companyId, startMs),
});

/** An existing company is complete, and all its rows come from one onboarding. */
const companyIsOfOne =
  (onboardings: readonly Onboarding[]) =>
  (before: Tables, after: Tables): void => {
    keysAreOnRecord(before, after);
    keysFitSlots(after);
    const company = rowsOf(after, 'Companies').get(companyId);
    const its = onboardings.find(({ company: { name } }) => name === company?.name);
    assert.deepEqual(company, its?.company, 'the company is of several onboardings');
    assert.deepEqual(
      keysIn(after).map(({ keyId }) => keyId),
      its ? [its.key.keyId] : [],
      'the key is of another onboarding',
    );
  };

const atMostOneOnboards = (outcomes: readonly { outcome: string }[]) =>
  assert(outcomes.filter(({ outcome }) => outcome === 'onboarded').length <= 1, 'two were told that they onboarded it');

/** Several operators, or one who repeats the same onboarding. */
const operators =
  (onboardings: readonly Onboarding[]): Scenario['arrange'] =>
  async () => ({
    operations: Object.fromEntries(
      onboardings.map((onboarding, index) => [
        `operator ${index}`,
        (own) => onboardCompany(own, actOf(companyId, null), onboarding),
      ]),
    ),
    afterEach: companyIsOfOne(onboardings),
    atEnd: (ending) => {
      atMostOneOnboards(answersOf<{ outcome: string }>(ending));
      if (ending.isUndisturbed) assert(rowsOf(ending.tables, 'Companies').has(companyId), 'nobody has onboarded it');
    },
  });

export const onboardingScenarios: readonly Scenario[] = [
  {
    name: 'three operators who onboard one company, one of them twice the same',
    guarantee: 'the company has the addresses and the key of one of them',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: (...given) => {
      const [one, other] = [onboardingBy('one'), onboardingBy('other')];
      return operators([one, other, one])(...given);
    },
  },
];
