import { expect, test } from 'vitest';
import { functionProblemsOf } from '../../../lambdas/api/chain/requirements.ts';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import {
  type Dimension,
  decisionOf,
  decisions,
  type Metric,
  maxMetricSeries,
  metrics,
} from '../../../lambdas/api/metrics.ts';
import { ratePolicies } from '../../../lambdas/api/rate-policies.ts';

test('the metrics stay within the number of series that may be paid for', () => {
  const reasons = new Set(Object.values<Endpoint>(endpoints).flatMap(functionProblemsOf));
  const sizes: Record<Dimension, number> = {
    decision: decisions.length,
    reason: reasons.size,
    ratePolicy: Object.keys(ratePolicies).length,
  };
  const seriesOf = ({ dimensions }: Metric) => dimensions.reduce((sum, dimension) => sum + sizes[dimension], 0) || 1;
  const count = Object.values<Metric>(metrics).reduce((sum, metric) => sum + seriesOf(metric), 0);
  console.log(`${count} series`);
  expect(count).toBeLessThanOrEqual(maxMetricSeries);
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
