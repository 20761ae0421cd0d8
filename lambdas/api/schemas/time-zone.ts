import * as z from 'zod/mini';
import { matching } from './common.ts';

/** The name of a time zone of the IANA database: `Europe/Berlin`. */
export const timeZoneName = () => matching(/^[A-Za-z][A-Za-z0-9_+/-]*$/, 64, expectedTimeZone);

const expectedTimeZone = 'Expected the name of a time zone like Europe/Berlin.';

/** The name of a time zone that this version of Node.js knows, in any letters. It becomes the spelling of the database. */
export const timeZone = () =>
  timeZoneName().check(
    z.refine((name) => zoneOf(name) !== undefined, { abort: true, error: expectedTimeZone }),
    z.overwrite(spelled),
  );

/** Returns the zone in the words of Node.js, which has other names for some: `Europe/Kiev` for `Europe/Kyiv`. */
const zoneOf = (name: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
};

/** Returns the same name in the spelling of the database, because the libraries of many languages distinguish capitals. */
const spelled = (name: string): string => {
  const zone = zoneOf(name);
  if (zone?.toLowerCase() === name.toLowerCase()) return zone;
  return name.toLowerCase().replaceAll(/[a-z][a-z0-9]*/g, (word) => oddWords.get(word) ?? capitalized(word));
};

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** The words, in names that Node.js has another name for, that have more capitals than their first letter. */
const oddWords: ReadonlyMap<string, string> = new Map(
  [
    ...[
      'ACT',
      'CET',
      'CHAT',
      'CST6CDT',
      'EET',
      'EST',
      'EST5EDT',
      'GB',
      'GMT',
      'GMT0',
      'HST',
      'IN',
      'LHI',
      'MET',
      'MST',
    ],
    ...['MST7MDT', 'NSW', 'NZ', 'PRC', 'PST8PDT', 'ROC', 'ROK', 'SU', 'UCT', 'US', 'UTC', 'WET'],
    ...['BajaNorte', 'BajaSur', 'ComodRivadavia', 'DeNoronha', 'EasterIsland'],
  ].map((word) => [word.toLowerCase(), word]),
);
