import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileAllowlist } from '../../../config/allowlist.ts';
import { differenceOf } from '../../../config/cidr.ts';
import type { Company as ConfiguredCompany } from '../../../config/company.ts';
import type { Company } from '../../../lambdas/domain/company.ts';
import { findDrift } from '../../../operator/companies/drift.ts';
import { campaign, playRounds } from '../../support/campaign.ts';

type Lists = Readonly<Record<string, readonly string[]>>;

const companyIds = ['acme', 'globex'] as const;
const blocks = ['192.0.2.0/28', '192.0.2.0/29', '192.0.2.8/29', '198.51.100.7/32', '2001:db8:1::/48'];
/** Few blocks: otherwise the two companies would have all blocks, and none would ever leave the policy. */
const addresses = fc.uniqueArray(fc.constantFrom(...blocks), { minLength: 1, maxLength: 2 });
const configuration = fc.record({ acme: addresses, globex: addresses });

const companiesOf = (lists: Lists) =>
  Object.entries(lists).map(
    ([companyId, allowedCidrs]) => ({ companyId, allowedCidrs }) as unknown as ConfiguredCompany,
  );

/** A stage whose contracts, configuration and policy match at first, and to which a test applies the remedies. */
const stageOf = (before: Lists) => {
  let registered = before;
  let deployed = compileAllowlist(companiesOf(before));
  let steps = 0;
  const driftFrom = (wanted: Lists) => {
    const companies = companiesOf(wanted);
    const onboarded = companiesOf(registered).map((each): Company => ({ ...each, webhookHosts: [], state: 'active' }));
    const compiledCidrs = compileAllowlist(companies);
    const lists = {
      companies,
      compiledCidrs,
      deployedCidrs: deployed,
      registeredCidrs: [],
      onboarded,
      leftIds: new Set<string>(),
    };
    return findDrift(lists, 'prod');
  };
  const requireNobodyWiderThanThePolicy = () => {
    for (const held of Object.values(registered)) expect(differenceOf(held, deployed)).toEqual([]);
  };
  const sync = (wanted: Lists) => {
    for (const { kind, companyId } of driftFrom(wanted))
      if (kind === 'sync' && companyId) registered = { ...registered, [companyId]: wanted[companyId] ?? [] };
    requireNobodyWiderThanThePolicy();
  };
  const deploy = (wanted: Lists) => {
    deployed = compileAllowlist(companiesOf(wanted));
    requireNobodyWiderThanThePolicy();
  };
  /** Sync, deploy, sync. A company that needs two rounds keeps its old addresses in the first one. */
  const follow = (wanted: Lists): number => {
    steps += 1;
    sync(wanted);
    const replaced = driftFrom(wanted).filter(({ kind }) => kind === 'two-rounds');
    if (replaced.length > 0) {
      const both = Object.fromEntries(companyIds.map((id) => [id, [...(wanted[id] ?? []), ...(registered[id] ?? [])]]));
      follow({
        ...wanted,
        ...Object.fromEntries(replaced.map(({ companyId }) => [companyId, both[companyId ?? ''] ?? []])),
      });
      return follow(wanted);
    }
    deploy(wanted);
    sync(wanted);
    expect(driftFrom(wanted)).toEqual([]);
    return steps;
  };
  return { follow };
};

test(
  'the remedies remove all drift, and no contract ever has an address that the policy lacks',
  campaign,
  async (context) => {
    const property = fc.property(configuration, configuration, (before, wanted) => {
      expect(stageOf(before).follow(wanted)).toBeLessThanOrEqual(3);
    });
    await playRounds(context, { test: 1, seconds: 8, full: 250 }, async (seed) =>
      fc.assert(property, { seed, numRuns: 20 }),
    );
  },
);
