import { headerValues } from '../header-values.ts';
import type { Step } from '../step.ts';

/** Takes the values of `If-Match`; whether they match is decided with the change itself. */
export const ifMatch: Step<'ifMatch'> =
  () =>
  ({ event }) => ({ ifMatch: headerValues(event, 'if-match') });
