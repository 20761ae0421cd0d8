export const dayMs = 24 * 60 * 60 * 1000;

/** Whole days until a time; 0 on the last day and after it. */
export const daysLeft = (untilMs: number, nowMs: number): number => Math.max(0, Math.floor((untilMs - nowMs) / dayMs));
