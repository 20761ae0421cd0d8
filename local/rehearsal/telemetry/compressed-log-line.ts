import { toTimestamp } from '../../../lambdas/domain/time.ts';
import type { CompressedClock } from './compressed-clock.ts';

export type ShownEvent = { readonly atMs: number; readonly message: string };

type TimedEvent = { readonly timestamp: string; readonly _aws?: { readonly Timestamp: number } };

/**
 * A line of a function's log as if it had been written at its shown time, its own times changed with it: CloudWatch takes
 * a metric's time from the line. What is no event of ours stays as it is, at the time of the line before.
 */
export const toShownEvent = (message: string, { shownMs }: CompressedClock, lineBeforeMs: number): ShownEvent => {
  const event = parseEvent(message);
  if (!event) return { atMs: lineBeforeMs, message };
  const atMs = shownMs(event._aws?.Timestamp ?? Date.parse(event.timestamp));
  const _aws = event._aws && { ...event._aws, Timestamp: atMs };
  return { atMs, message: JSON.stringify({ ...event, timestamp: toTimestamp(atMs), ...(_aws && { _aws }) }) };
};

const parseEvent = (message: string): TimedEvent | undefined => {
  try {
    const value: unknown = JSON.parse(message);
    return isEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isEvent = (value: unknown): value is TimedEvent =>
  typeof value === 'object' &&
  value !== null &&
  'timestamp' in value &&
  !Number.isNaN(Date.parse(String(value.timestamp)));
