import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { type Fault, pointerTo } from '../../../api/invalid-request.ts';

// The library names faults only in a locale.
z.config(en());

/** The faults that a schema has found in a part of the request. */
export const schemaErrors = (part: 'body' | 'query', { issues }: z.core.$ZodError): Fault[] =>
  issues.map(({ path, message }) => ({ pointer: pointerTo(part, ...path), detail: message }));
