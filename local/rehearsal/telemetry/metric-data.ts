import type { MetricIdentity } from 'serve-stack/cloudwatch';

/** A value of a metric that AWS would publish of its own services. */
export type MetricValue = MetricIdentity & { readonly value: number };

/** Makes several metrics with the same dimensions: `metricsOf('AWS/Lambda', {}, { Invocations: 1, Errors: 0 })`. */
export const metricsOf = (
  namespace: string,
  dimensions: MetricValue['dimensions'],
  values: Readonly<Record<string, number>>,
): MetricValue[] => Object.entries(values).map(([name, value]) => ({ namespace, name, dimensions, value }));
