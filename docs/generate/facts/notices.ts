import { noticeDays } from '../../../lambdas/api/limits.ts';

/** The days before its expiry on which a key is announced: `60, 30, 14, 7, 3 and 1`. */
export const noticeDayList = (): string =>
  new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(noticeDays.map(String));
