import { toDate, toTimestamp } from '../../lambdas/domain/time.ts';

/** The day on which all examples were written. The service refuses requests whose times have passed. */
const writtenMs = Date.parse('2026-11-21');

const dayMs = 86_400_000;

/** Returns a document or an example as if written at that time: moves its dates and times by whole days. */
export const writtenAt = <Document>(nowMs: number, document: Document): Document => {
  const movedMs = Math.floor((nowMs - writtenMs) / dayMs) * dayMs;
  return JSON.parse(JSON.stringify(document), (_, value) => {
    if (!isTime(value)) return value;
    return (value.includes('T') ? toTimestamp : toDate)(Date.parse(value) + movedMs);
  });
};

/** Returns how many days in the future a time of an example must be when it is sent; undefined if the value is not a time. */
export const daysAhead = (value: unknown): number | undefined =>
  isTime(value) ? Math.ceil((Date.parse(value) - writtenMs) / dayMs) : undefined;

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(value);
