import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { maxReportedErrors } from '../../../api/limits.ts';

// The library names faults only in a locale.
z.config(en());

/** The first faults that a schema has found, each with a JSON pointer from the part of the request that was checked. */
export const schemaErrors = (part: string, { issues }: z.core.$ZodError) =>
  issues
    .slice(0, maxReportedErrors)
    .map(({ path, message }) => ({ pointer: [part, ...path.map(escaped)].join('/'), detail: message }));

/** RFC 6901 */
const escaped = (segment: PropertyKey) => String(segment).replaceAll('~', '~0').replaceAll('/', '~1');
