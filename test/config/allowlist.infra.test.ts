import fc from 'fast-check';
import { compilePolicies } from 'serve-stack/services';
import { expect, test } from 'vitest';
import { allowlistDrift, compileAllowlist } from '../../config/allowlist.ts';
import { loadStageConfig } from '../../config/load.ts';
import { resourcePolicy } from '../../infra/api/admission.ts';
import { isAddressInCidrs } from '../../lambdas/domain/company.ts';
import { campaign, playRounds } from '../support/campaign.ts';
import { cidrLists, edgesOf } from '../support/cidr-blocks.ts';

/** Per round. */
const numRuns = 40;
const extent = { test: 1, seconds: 8, full: 25 };

const companiesOf = (lists: readonly string[][]) => lists.map((allowedCidrs) => ({ allowedCidrs }));

test(
  `the policy admits exactly the registered addresses, in ${numRuns} random configurations a round`,
  campaign,
  async (context) => {
    const seen = { allow: 0, 'implicit deny': 0, 'explicit deny': 0 };
    const property = fc.property(fc.array(cidrLists, { minLength: 1, maxLength: 5 }), (lists) => {
      const compiled = compileAllowlist(companiesOf(lists));
      const decide = compilePolicies([resourcePolicy(compiled).toJSON()]);
      for (const sourceIp of new Set([...lists, compiled].flatMap(edgesOf))) {
        const registered = lists.some((cidrs) => isAddressInCidrs(sourceIp, cidrs));
        const call = { action: 'execute-api:Invoke', resource: 'execute-api:/v1/GET/status', sourceIp };
        const decision = decide({ ...call, secureTransport: true });
        expect([sourceIp, decision]).toEqual([sourceIp, registered ? 'allow' : 'implicit deny']);
        seen[decision]++;
      }
    });
    const rounds = await playRounds(context, extent, async (seed) => fc.assert(property, { seed, numRuns }));
    expect(Math.min(seen.allow, seen['implicit deny'])).toBeGreaterThan(3 * rounds * numRuns);
  },
);

test('equal registrations lead to the same policy, byte by byte, in any order', campaign, async (context) => {
  const policyOf = (lists: readonly string[][]) => JSON.stringify(resourcePolicy(compileAllowlist(companiesOf(lists))));
  const property = fc.property(cidrLists, cidrLists, cidrLists, (a, b, c) => {
    expect(policyOf([c, [...b, ...a].reverse()])).toBe(policyOf([a, b, c]));
  });
  await playRounds(context, extent, async (seed) => fc.assert(property, { seed, numRuns }));
});

test('the allowlist has a shared block once, and merges adjacent blocks', () => {
  expect(compileAllowlist(loadStageConfig('local').companies)).toEqual(['127.0.0.1/32', '127.0.0.2/32']);
  expect(compileAllowlist(companiesOf([['192.0.2.2/32', '192.0.2.0/31'], ['192.0.2.3/32']]))).toEqual(['192.0.2.0/30']);
});

test('the drift of a deployed list is its missing and its surplus blocks, whatever their spelling', () => {
  const compiled = ['192.0.2.0/24', '2001:db8::/48'];
  expect(allowlistDrift(['2001:DB8::/48', '192.0.2.0/25', '192.0.2.128/25'], compiled)).toEqual({
    missing: [],
    surplus: [],
  });
  expect(allowlistDrift(['192.0.2.0/25', '198.51.100.7', '2001:db8::/47'], compiled)).toEqual({
    missing: ['192.0.2.128/25'],
    surplus: ['198.51.100.7/32', '2001:db8:1::/48'],
  });
});
