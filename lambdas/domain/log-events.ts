import { embeddedMetrics } from '../domain/log-fields.ts';
import { toTimestamp } from '../domain/time.ts';
import type { FunctionEnvironment } from './function-environment.ts';

type Event = Readonly<Record<string, unknown>>;

/** What an event may cost at most, whatever clients and errors put into it. */
export const maxEventBytes = 1024;

/**
 * Writes an event as one line of JSON of at most 1 kB, which CloudWatch Logs keeps whole and CloudWatch reads metrics
 * from.
 */
export const writeEvent = (
  { setting, log }: Pick<FunctionEnvironment, 'setting' | 'log'>,
  atMs: number,
  event: Event,
): void => {
  const _aws = embeddedMetrics(setting('metricNamespace'), atMs, event);
  log(`${fittingLine({ timestamp: toTimestamp(atMs), ...event, _aws })}\n`);
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
