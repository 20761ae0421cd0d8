/** Returns a time as RFC 3339 in UTC; without a fraction if the second is whole. */
export const toTimestamp = (epochMs: number): string => new Date(epochMs).toISOString().replace('.000Z', 'Z');

/** Returns a date in UTC: `2026-03-31`. */
export const toDate = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);

/** Returns a month in UTC: `2026-03`. */
export const toMonth = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 7);

/** Returns the same time of day `months` later, in UTC; a day that the month does not have becomes its last day. */
export const addMonths = (epochMs: number, months: number): number => {
  const start = new Date(epochMs);
  const result = new Date(epochMs);
  result.setUTCDate(1);
  result.setUTCMonth(start.getUTCMonth() + months);
  result.setUTCDate(Math.min(start.getUTCDate(), daysInMonth(result)));
  return result.getTime();
};

const daysInMonth = (date: Date): number =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
