import { describe, expect, test } from 'vitest';
import { defaultPolicyQuota, policyLength } from '../../config/allowlist.ts';
import { loadStageConfig } from '../../config/load.ts';
import { exampleTemplate } from '../../docs/generate/cost/example-template.ts';
import { resourcesOfEndpoint, scaleFacts } from '../../docs/generate/facts/scale.ts';
import { fittingBlocks, longestIpv4, longestIpv6 } from '../../docs/generate/scale/fitting-blocks.ts';
import { cloudFormation } from '../../docs/generate/scale/quotas.ts';
import { resourcePolicy } from '../../infra/api/admission.ts';
import { type Consumer, consumers } from '../../lambdas/api/background-functions.ts';

const template = exampleTemplate();
const facts = scaleFacts(template);

describe.each([
  ['IPv4', longestIpv4, 18],
  ['IPv6', longestIpv6, 43],
])('blocks of %s in a resource policy', (_, blockOf, characters) => {
  const blocks = (count: number) => Array.from({ length: count }, (__, index) => blockOf(index));
  const most = fittingBlocks(blockOf);

  test('so many fit, and one more does not', () => {
    expect(policyLength(resourcePolicy(blocks(most)))).toBeLessThanOrEqual(defaultPolicyQuota);
    expect(() => resourcePolicy(blocks(most + 1))).toThrow('move the allowlist to an AWS WAF IP set');
  });

  test('are as long as one can be, and no two are the same', () => {
    expect(new Set(blocks(most)).size).toBe(most);
    expect(new Set(blocks(most).map(({ length }) => length))).toEqual(new Set([characters]));
  });
});

test('the functions that the throttle of the stage can start fit into the quota of the account, even if each times out', () => {
  const worst = facts.concurrency?.().split('\n').at(-1)?.split(' | ').at(-1);
  expect(Number(worst?.replace(/\D/g, ''))).toBeLessThanOrEqual(
    loadStageConfig('example').monitoring.lambdaConcurrencyQuota,
  );
});

test('an endpoint takes so many resources', () => {
  const own = Object.keys(template.Resources).filter((id) =>
    /^((Endpoints|Deployments)getContract|ApicontractGET)/.test(id),
  );
  expect(own).toHaveLength(resourcesOfEndpoint);
});

test('the consumers of queues leave half of the quota of the account to the endpoints, and no stream has too many readers', () => {
  const atOnce = Object.values<Consumer>(consumers).reduce((sum, { maxConcurrency = 0 }) => sum + maxConcurrency, 0);
  expect(atOnce).toBeLessThan(loadStageConfig('example').monitoring.lambdaConcurrencyQuota / 2);
  const [readers, most] = facts['stream-readers']?.().split(' of ').map(Number) ?? [];
  expect([readers, most]).toEqual([2, 2]);
});

test('the stack has room for twelve endpoints more, each with a path of its own, and for a template twice as long', () => {
  const room = cloudFormation.resources - Object.keys(template.Resources).length;
  expect(room).toBeGreaterThan(12 * (resourcesOfEndpoint + 1));
  expect(JSON.stringify(template).length).toBeLessThan(cloudFormation.templateBytes / 2);
});
