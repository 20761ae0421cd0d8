const dayMs = 24 * 60 * 60 * 1000;

/** Whole days until a timestamp; 0 on the last day and after it, null where there is none. */
export const daysLeft = (expiresAt: string | null, at: string): number | null =>
  expiresAt === null ? null : Math.max(0, Math.floor((Date.parse(expiresAt) - Date.parse(at)) / dayMs));
