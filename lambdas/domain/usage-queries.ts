import type { RequestEvent } from '../api/log-events/request-event.ts';
import type { Decision } from '../api/metrics.ts';
import type { Period } from './usage.ts';

/**
 * Companies from one id to before another, in the order of their characters: a part of all rows that one query asks for. From
 * the empty text on, and without an end, they are all.
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

/** The time of a request is its own, not that of its line; a request that did not authenticate is nobody's. */
const requestsIn = (hour: Period, { from, before }: CompanyRange): string =>
  [
    `filter ispresent(${companyId})`,
    `${timestamp} like /^${hour}/`,
    ...(from === '' ? [] : [`${companyId} like ${idsFrom(from)}`]),
    ...(before === undefined ? [] : [`${companyId} not like ${idsFrom(before)}`]),
  ].join(' and ');

/** What became of the requests of an hour, in the language of CloudWatch Logs Insights. */
export const outcomesQuery = (hour: Period, range: CompanyRange): string =>
  `${requestsIn(hour, range)}
| stats count(*) as requests by ${companyId}, ${keyId}, ${operation}, ${decision}, ${reason}, ${ratePolicy}`;

/** The paths that were limited in an hour, the most often limited ones first. */
export const limitedPathsQuery = (hour: Period, range: CompanyRange): string =>
  `${requestsIn(hour, range)} and ${decision} = "${'limited' satisfies Decision}"
| stats count(*) as requests by ${companyId}, ${operation}, ${ratePolicy}, ${path}
| sort requests desc`;

/** What the ids of companies are made of, in their order. */
const idCharacters = '0123456789abcdefghijklmnopqrstuvwxyz';

/** A pattern of the ids that are not before this one: they differ first by a later character, or begin with it. */
const idsFrom = (id: string): string => {
  const later = [...id].flatMap((character, index) => {
    const characters = idCharacters.slice(idCharacters.indexOf(character) + 1);
    return characters === '' ? [] : [`${id.slice(0, index)}[${characters}]`];
  });
  return `/^(${[...later, id].join('|')})/`;
};

/** The ranges that begin at these ids, as far as they are not before `from`, which itself begins one. */
export const rangesFrom = (from: string, begins: readonly string[]): CompanyRange[] => {
  const all = [from, ...begins.filter((id) => id > from)];
  return all.map((id, index) => ({ from: id, before: all[index + 1] }));
};

/** Two ranges with half of these ids each, which are in their order; none if there is nothing to divide. */
export const halvesOf = ({ from, before }: CompanyRange, companyIds: readonly string[]): CompanyRange[] => {
  const [middle, ...others] = companyIds.slice(Math.floor(companyIds.length / 2));
  if (middle === undefined || companyIds.length === others.length + 1) return [];
  return [
    { from, before: middle },
    { from: middle, before },
  ];
};

/** A range whose answer was whole, and how many rows that had. */
export type CountedRange = Pick<CompanyRange, 'from'> & { readonly rows: number };

/** Where ranges are to begin, the first aside, so that small neighbours become one. */
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
