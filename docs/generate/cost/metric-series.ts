import { functionProblemsOf } from '../../../lambdas/api/chain.ts';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../../lambdas/api/limits.ts';
import { type Dimension, decisions, type Metric, type MetricName, metrics } from '../../../lambdas/api/metrics.ts';

/**
 * The number of series that the service's own metrics can have, without those that a stage never writes: each is paid for in
 * the hours in which it is written.
 */
export const metricSeriesCount = (unwritten: readonly MetricName[] = []): number => {
  const reasons = new Set(Object.values<Endpoint>(endpoints).flatMap(functionProblemsOf));
  const sizes: Record<Dimension, number> = {
    decision: decisions.length,
    reason: reasons.size,
    ratePolicy: Object.keys(ratePolicies).length,
  };
  const seriesOf = ({ dimensions }: Metric) => dimensions.reduce((sum, dimension) => sum + sizes[dimension], 0) || 1;
  const written = Object.entries<Metric>(metrics).filter(([name]) => !unwritten.includes(name as MetricName));
  return written.reduce((sum, [, metric]) => sum + seriesOf(metric), 0);
};
