import { expect, test } from 'vitest';
import { functionProblemsOf } from '../../../lambdas/api/chain/requirements.ts';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { type Dimension, decisionOf, decisions, type Metric, metrics } from '../../../lambdas/api/metrics.ts';
import { ratePolicies } from '../../../lambdas/api/rate-policies.ts';

test('there are at most 40 series in all, since each is paid for and none may come from what clients send', () => {
  const reasons = new Set(Object.values<Endpoint>(endpoints).flatMap(functionProblemsOf));
  const sizes: Record<Dimension, number> = {
    decision: decisions.length,
    reason: reasons.size,
    ratePolicy: Object.keys(ratePolicies).length,
  };
  const seriesOf = ({ dimensions }: Metric) => dimensions.reduce((sum, dimension) => sum + sizes[dimension], 0) || 1;
  const count = Object.values<Metric>(metrics).reduce((sum, metric) => sum + seriesOf(metric), 0);
  console.log(`${count} series`);
  expect(count).toBeLessThanOrEqual(40);
});

test.each([
  [undefined, 'allowed'],
  ['user-id-missing', 'refused'],
  ['api-key-invalid', 'refused'],
  ['contract-not-active', 'refused'],
  ['consent-outdated', 'refused'],
  ['appliance-function-blocked', 'refused'],
  ['rate-limit-exceeded', 'limited'],
  ['internal-error', 'failed'],
  ['service-unavailable', 'failed'],
] as const)('%s counts as %s', (problem, decision) => {
  expect(decisionOf(problem)).toBe(decision);
});
