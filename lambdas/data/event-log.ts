import { embeddedMetrics } from '../domain/embedded-metrics.ts';
import { toTimestamp } from '../domain/time.ts';
import { setting } from './environment.ts';

/**
 * Writes an event as one line of JSON, which CloudWatch Logs keeps whole and CloudWatch reads metrics from. It goes past
 * `console`, which would wrap it.
 */
export const writeEvent = (atMs: number, event: Readonly<Record<string, unknown>>): void => {
  const line = { at: toTimestamp(atMs), ...event, _aws: embeddedMetrics(setting('metricNamespace'), atMs, event) };
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
