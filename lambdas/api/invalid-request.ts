import { maxReportedErrors } from './limits.ts';
import { Problem } from './problem.ts';

/** What is wrong with a request: the place, as a JSON pointer (RFC 6901), and what was expected there. */
export type Fault = { readonly pointer: string; readonly detail: string };

/** Refuses a request for its faults. It tells the first of them, so that no small request gets a large answer. */
export const invalidRequest = (faults: readonly Fault[]) =>
  new Problem('invalid-request', { errors: faults.slice(0, maxReportedErrors) });

/** The JSON pointer through these names and indexes: `('path', 'keyId')` → `/path/keyId`. */
export const pointerTo = (...segments: readonly PropertyKey[]): string =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
