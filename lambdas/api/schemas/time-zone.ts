import * as z from 'zod/mini';
import { matching } from './common.ts';

/** The name of a time zone of the IANA database: `Europe/Berlin`. */
export const timeZoneName = () => matching(/^[A-Za-z][A-Za-z0-9_+/-]*$/, 64, expectedTimeZone);

const expectedTimeZone = 'Expected the name of a time zone like Europe/Berlin.';

/** The name of a time zone that this version of Node.js knows. */
export const timeZone = () => timeZoneName().check(z.refine((name) => isTimeZone(String(name)), expectedTimeZone));

const isTimeZone = (name: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
};
