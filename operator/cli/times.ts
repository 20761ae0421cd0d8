import * as z from 'zod';
import * as api from '../../lambdas/api/schemas/common.ts';
import type { LogRange } from '../../lambdas/runtime/log-queries.ts';
import { OperatorError } from '../error.ts';

/** The start of a period: an age, a day or a time. Converts a time to UTC. */
export const sinceSchema = z.string().transform((text, context): string => {
  if (isAge(text)) return text;
  const readable = isDay(text) ? text : timeIn(text);
  if (readable === undefined)
    context.addIssue(
      'is not a time; write an age like 30m, 3h or 7d, a date like 2026-11-01, or a time with its offset like 2026-11-01T10:00:00Z.',
    );
  return readable ?? z.NEVER;
});

export const sinceSummary =
  'an age, like 30m, 3h or 7d, a date in UTC, like 2026-11-01, or a time with its offset, like 2026-11-01T10:00:00Z';

/** The option for the start of the period that a command reads. */
export const sinceOption = (usual: string) => ({
  summary: `${sinceSummary}; default: ${usual}`,
  placeholder: 'time',
  schema: sinceSchema.default(usual),
});

/** A time in epoch milliseconds, rounded down to whole seconds. */
export const secondSchema = z.string().transform((text, context): number => {
  const time = timeIn(text);
  if (time === undefined) context.addIssue('is not an RFC 3339 time with its offset, like 2026-11-21T20:15:00Z.');
  return time === undefined ? z.NEVER : Math.floor(Date.parse(time) / 1000) * 1000;
});

/** Returns the time of a text that `sinceSchema` accepts, in epoch milliseconds. */
export const sinceMsOf = (text: string, nowMs: number): number =>
  isAge(text) ? nowMs - Number.parseInt(text, 10) * (ageUnitsMs[text.slice(-1)] ?? 0) : Date.parse(text);

/** Returns the range from that time until now. Throws if the time is in the future. */
export const rangeSince = (since: string, nowMs: number): LogRange => {
  const fromMs = sinceMsOf(since, nowMs);
  if (fromMs > nowMs) throw new OperatorError('usage', `--since is ${since}, which is in the future.`);
  return { fromMs, toMs: nowMs };
};

const ageUnitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const isAge = (text: string): boolean => /^\d{1,4}[mhd]$/.test(text);

const isDay = (text: string): boolean => api.date().safeParse(text).success;

/** Parses a time like the service parses times of other systems, and returns it in UTC. The seconds are optional. */
const timeIn = (text: string): string | undefined =>
  api.timestamp().safeParse(text.replace(/(T\d\d:\d\d)(?=Z|[+-])/, '$1:00')).data;
