import type { RequestEvent } from '../api/log-events/request-event.ts';
import type { Decision } from '../api/metrics.ts';
import type { Period } from './usage.ts';

/**
 * The companies of one query: ids from `from`, inclusive, to `before`, exclusive, in the order of their characters. An empty
 * `from` and no `before` include all companies.
 */
export type CompanyRange = { readonly from: string; readonly before: string | undefined };

const [companyId, keyId, operation, decision, reason, ratePolicy, path, timestamp] = [
  'companyId',
  'keyId',
  'operation',
  'decision',
  'reason',
  'ratePolicy',
  'path',
  'timestamp',
] as const satisfies (keyof RequestEvent)[];

/** Filters by the time of the request, not of its log line. Unauthenticated requests have no company and are left out. */
const requestsIn = (hour: Period, { from, before }: CompanyRange): string =>
  [
    `filter ispresent(${companyId})`,
    `${timestamp} like /^${hour}/`,
    ...(from === '' ? [] : [`${companyId} like ${idsFrom(from)}`]),
    ...(before === undefined ? [] : [`${companyId} not like ${idsFrom(before)}`]),
  ].join(' and ');

/** Returns the query for the outcomes of an hour's requests, in the language of CloudWatch Logs Insights. */
export const outcomesQuery = (hour: Period, range: CompanyRange): string =>
  `${requestsIn(hour, range)}
| stats count(*) as requests by ${companyId}, ${keyId}, ${operation}, ${decision}, ${reason}, ${ratePolicy}`;

/** Returns the query for the paths that were limited in an hour, the most often limited ones first. */
export const limitedPathsQuery = (hour: Period, range: CompanyRange): string =>
  `${requestsIn(hour, range)} and ${decision} = "${'limited' satisfies Decision}"
| stats count(*) as requests by ${companyId}, ${operation}, ${ratePolicy}, ${path}
| sort requests desc`;

/** The characters of company ids, in order. */
const idCharacters = '0123456789abcdefghijklmnopqrstuvwxyz';

/** A pattern for ids from this one on: the first different character is a later one, or the id is a prefix. */
const idsFrom = (id: string): string => {
  const later = [...id].flatMap((character, index) => {
    const characters = idCharacters.slice(idCharacters.indexOf(character) + 1);
    return characters === '' ? [] : [`${id.slice(0, index)}[${characters}]`];
  });
  return `/^(${[...later, id].join('|')})/`;
};

/** Returns the ranges that begin at `from` and at each of these ids after it. */
export const rangesFrom = (from: string, begins: readonly string[]): CompanyRange[] => {
  const all = [from, ...begins.filter((id) => id > from)];
  return all.map((id, index) => ({ from: id, before: all[index + 1] }));
};

/** Splits a range into two with half of these sorted ids each; returns none if there are fewer than two ids. */
export const halvesOf = ({ from, before }: CompanyRange, companyIds: readonly string[]): CompanyRange[] => {
  const [middle, ...others] = companyIds.slice(Math.floor(companyIds.length / 2));
  if (middle === undefined || companyIds.length === others.length + 1) return [];
  return [
    { from, before: middle },
    { from: middle, before },
  ];
};

/** A range whose result was complete, and its number of rows. */
export type CountedRange = Pick<CompanyRange, 'from'> & { readonly rows: number };

/** Returns the beginnings of all ranges except the first, after small neighbors are merged. */
export const beginsOf = (counted: readonly CountedRange[], fewRows: number): string[] => {
  const begins: string[] = [];
  let sum = 0;
  for (const [index, { from, rows }] of counted.entries()) {
    sum += rows;
    if (index === 0 || sum <= fewRows) continue;
    begins.push(from);
    sum = rows;
  }
  return begins;
};
