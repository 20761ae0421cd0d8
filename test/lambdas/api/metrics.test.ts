import { expect, test } from 'vitest';
import { metricSeriesCount } from '../../../docs/generate/cost.ts';
import { decisionOf, maxMetricSeries } from '../../../lambdas/api/metrics.ts';

test('the metrics stay within the number of series that may be paid for', () => {
  expect(metricSeriesCount()).toBeGreaterThan(10);
  expect(metricSeriesCount()).toBeLessThanOrEqual(maxMetricSeries);
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
