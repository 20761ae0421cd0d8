import { toDate, toTimestamp } from '../../lambdas/domain/time.ts';

/** The day as of which all examples were written. A request with times in it is refused long after them. */
const writtenMs = Date.parse('2026-11-21');

const dayMs = 86_400_000;

/** A document, or an example in it, as if it had been written at that time: its dates and times are moved by whole days. */
export const writtenAt = <Document>(nowMs: number, document: Document): Document => {
  const movedMs = Math.floor((nowMs - writtenMs) / dayMs) * dayMs;
  return JSON.parse(JSON.stringify(document), (_, value) => {
    if (!isTime(value)) return value;
    return (value.includes('T') ? toTimestamp : toDate)(Date.parse(value) + movedMs);
  });
};

/** How many days ahead a value of an example is to be when it is sent; undefined if it is no time. */
export const daysAhead = (value: unknown): number | undefined =>
  isTime(value) ? Math.ceil((Date.parse(value) - writtenMs) / dayMs) : undefined;

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(value);
