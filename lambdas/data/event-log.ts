import { embeddedMetrics } from '../domain/embedded-metrics.ts';
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
  log(`${fittingLine({ at: toTimestamp(atMs), ...event, _aws })}\n`);
};

/** Cuts the longest text of an event that is too long: in practice an error's stack, or a path of absurd ids. */
const fittingLine = (event: Event): string => {
  const line = JSON.stringify(event);
  const excessBytes = Buffer.byteLength(line) + '\n'.length - maxEventBytes;
  const [name, text] = longestTextOf(event);
  if (excessBytes <= 0 || text.length <= ellipsis.length) return line;
  return fittingLine({ ...event, [name]: text.slice(0, -excessBytes - ellipsis.length) + ellipsis });
};

const ellipsis = '...';

const longestTextOf = (event: Event): readonly [name: string, text: string] =>
  Object.entries(event)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .reduce((longest, each) => (each[1].length > longest[1].length ? each : longest), ['', '']);
