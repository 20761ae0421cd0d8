import type { RequestEvent } from '../api/log-events/request-event.ts';
import { condensedStack } from '../api/log-events/stack-frames.ts';
import { type Metric, metrics } from '../api/metrics.ts';
import { toTimestamp } from '../domain/time.ts';

type Event = Readonly<Record<string, unknown>>;

/** Where a function writes its lines, the namespace of its metrics, and the count of throttled attempts. */
type Log = {
  readonly setting: (name: 'metricNamespace') => string;
  readonly log: (line: string) => void;
  readonly takeThrottles?: () => number;
};

/** The maximum size of an event, whatever clients and errors put into it. */
const maxEventBytes = 1024;

/**
 * Writes an event as one line of JSON of at most 1 kB, which CloudWatch Logs keeps whole and CloudWatch reads metrics
 * from.
 */
export const writeEvent = ({ setting, log, takeThrottles }: Log, atMs: number, event: Event): void => {
  const throttles = takeThrottles?.();
  const whole = throttles ? { ...event, StoreThrottles: throttles } : event;
  const _aws = embeddedMetrics(setting('metricNamespace'), atMs, whole);
  log(`${fittingLine({ timestamp: toTimestamp(atMs), ...whole, ..._aws })}\n`);
};

/** Cuts the longest texts of an event that is too long, all to the same length: in practice an error and its stack. */
const fittingLine = (event: Event): string => {
  let line = JSON.stringify(event);
  if (fits(line)) return line;
  let [fitting, tooLong] = [ellipsis.length, maxEventBytes];
  while (tooLong - fitting > 1) {
    const maxLength = Math.floor((fitting + tooLong) / 2);
    const shortened = JSON.stringify(withTextsCut(event, maxLength));
    if (fits(shortened)) [line, fitting] = [shortened, maxLength];
    else tooLong = maxLength;
  }
  return line;
};

const fits = (line: string): boolean => Buffer.byteLength(line) + '\n'.length <= maxEventBytes;

const withTextsCut = (event: Event, maxLength: number): Event =>
  Object.fromEntries(
    Object.entries(event).map(([name, value]) => {
      const isTooLong = typeof value === 'string' && value.length > maxLength;
      return [name, isTooLong ? value.slice(0, maxLength - ellipsis.length) + ellipsis : value];
    }),
  );

const ellipsis = '...';

type Directive = {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: { readonly Name: string; readonly Unit: string }[];
};

/**
 * Returns the part of an event from which CloudWatch extracts metrics (embedded metric format): for every metric in the event,
 * one series for each of the metric's dimensions in the event. Returns false if the event has no metric.
 */
const embeddedMetrics = (namespace: string, timestampMs: number, event: Event) => {
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
  // Every byte of a line costs money, and most lines of consumers have no metric.
  return directives.size > 0 && { _aws: { Timestamp: timestampMs, CloudWatchMetrics: [...directives.values()] } };
};

/**
 * Returns the fields for a fault of ours. Message and stack are separate, so that a long message leaves room for the frames.
 */
export const faultFields = (fault: unknown): Required<Pick<RequestEvent, 'error' | 'stack'>> => ({
  error: String(fault),
  stack: fault instanceof Error ? condensedStack(fault.stack ?? '') : undefined,
});
