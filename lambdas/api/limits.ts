/** Structural limits of the service; what a partner is told and what is enforced both come from here. */
export const maxValidKeysPerCompany = 10;
export const keyLifetimeMonths = 6;
/** Before its expiry a key is announced this many days ahead, longest first. */
export const noticeDays = [60, 30, 14, 7, 3, 1] as const;
export const maxBodyBytes = 32_768;
/** Enough to see what is wrong; a small body could else be answered with megabytes. */
export const maxReportedErrors = 50;
/** For as long, a repeat of a creation gives the same key again. */
export const idempotencyHours = 24;
export const maxIdempotencyKeyCharacters = 255;
export const pageSize = { default: 50, max: 100 } as const;
