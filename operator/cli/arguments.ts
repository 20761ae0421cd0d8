import * as z from 'zod';
import { companyIdPattern, idPattern } from '../../lambdas/api/schemas/common.ts';

/** A part of the command line that several commands have. */
export const companyId = {
  summary: 'as in the configuration',
  schema: z.string('is missing.').regex(companyIdPattern, 'is no company id: 2 to 24 of the characters a-z 0-9.'),
};

export const idOf = (what: string) =>
  z.string('is missing.').regex(idPattern, `is no ${what} id: 1 to 64 of the characters A-Z a-z 0-9 . _ -`);

export const flag = (summary: string) => ({ summary, schema: z.boolean().default(false) });
