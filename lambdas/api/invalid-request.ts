import { cutText } from './cut-text.ts';
import { maxReportedErrors, maxTextCharacters } from './limits.ts';
import { Problem } from './problem.ts';

/** What is wrong with a request: the place, as a JSON pointer (RFC 6901), and what was expected there. */
export type Fault = { readonly pointer: string; readonly detail: string };

/** Refuses a request for its faults. It tells the first of them, and cuts them, so that no request gets a large answer. */
export const invalidRequest = (faults: readonly Fault[]) =>
  new Problem('invalid-request', { errors: faults.slice(0, maxReportedErrors).map(cut) });

/** The names in a body may be long: a pointer that is too long leads to what is around the fault instead. */
const cut = ({ pointer, detail }: Fault): Fault => ({
  pointer: fitting(pointer.split('/')).join('/'),
  detail: cutText(detail),
});

const fitting = (segments: readonly string[]): readonly string[] => {
  let length = -1;
  const tooLong = segments.findIndex((segment) => {
    length += 1 + segment.length;
    return length > maxTextCharacters;
  });
  return tooLong < 0 ? segments : segments.slice(0, tooLong);
};

/** The JSON pointer through these names and indexes: `('path', 'keyId')` → `/path/keyId`. */
export const pointerTo = (...segments: readonly PropertyKey[]): string =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
