import type { RequestEvent } from '../api/log-events/request-event.ts';
import { condensedStack } from '../api/log-events/stack-frames.ts';
import { type Metric, metrics } from '../api/metrics.ts';

type Event = Readonly<Record<string, unknown>>;

type Directive = {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: { readonly Name: string; readonly Unit: string }[];
};

/**
 * The part of an event that lets CloudWatch make metrics of its numbers (embedded metric format): for every metric that
 * the event holds, one series for each of its dimensions that the event holds too.
 */
export const embeddedMetrics = (namespace: string, timestampMs: number, event: Event) => {
  const directives = new Map<string, Directive>();
  for (const [Name, { unit: Unit, dimensions }] of Object.entries<Metric>(metrics)) {
    if (event[Name] === undefined) continue;
    const sets = dimensions.filter((dimension) => event[dimension] !== undefined).map((dimension) => [dimension]);
    const Dimensions = dimensions.length === 0 ? [[]] : sets;
    const key = Dimensions.join();
    const directive = directives.get(key) ?? { Namespace: namespace, Dimensions, Metrics: [] };
    directive.Metrics.push({ Name, Unit });
    directives.set(key, directive);
  }
  return { Timestamp: timestampMs, CloudWatchMetrics: [...directives.values()] };
};

/** What an event says of a fault of ours: apart, so that a long message leaves room for the frames. */
export const faultFields = (fault: unknown): Required<Pick<RequestEvent, 'error' | 'stack'>> => ({
  error: String(fault),
  stack: fault instanceof Error ? condensedStack(fault.stack ?? '') : undefined,
});
