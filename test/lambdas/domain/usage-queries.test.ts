import { describe, expect, test } from 'vitest';
import {
  beginsOf,
  halvesOf,
  limitedPathsQuery,
  outcomesQuery,
  rangesFrom,
} from '../../../lambdas/domain/usage-queries.ts';
import { below, randomNumbers } from '../../support/random.ts';

const characters = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Whether the patterns of a query match a company. */
const asksFor = (query: string, id: string): boolean => {
  const [, from] = /companyId like \/(\S+)\//.exec(query) ?? [];
  const [, before] = /companyId not like \/(\S+)\//.exec(query) ?? [];
  return (from === undefined || new RegExp(from).test(id)) && (before === undefined || !new RegExp(before).test(id));
};

test('the queries of ranges cover each company once: together they equal one query of all', () => {
  const random = randomNumbers();
  const idOf = () =>
    Array.from({ length: 2 + below(random, 23) }, () => characters[below(random, below(random, 2) ? 36 : 3)]).join('');
  for (let round = 0; round < 30; round++) {
    const ids = Array.from({ length: 20 }, idOf).toSorted();
    const ranges = rangesFrom(
      '',
      ids.filter(() => below(random, 4) === 0),
    );
    for (const id of ids) {
      const asking = ranges.filter((range) => asksFor(outcomesQuery('2026-11-25T09', range), id));
      expect(asking).toEqual(ranges.filter(({ from, before }) => from <= id && (before === undefined || id < before)));
      expect(asking).toHaveLength(1);
    }
  }
});

test('a query has its hour and the bounds of its range, and is short enough for CloudWatch', () => {
  expect(outcomesQuery('2026-11-25T09', { from: '', before: undefined })).toBe(
    `filter ispresent(companyId) and timestamp like /^2026-11-25T09/
| stats count(*) as requests by companyId, keyId, operation, decision, reason, ratePolicy`,
  );
  expect(limitedPathsQuery('2026-11-25T09', { from: 'y8', before: 'zz' })).toBe(
    `filter ispresent(companyId) and timestamp like /^2026-11-25T09/ and companyId like /^([z]|y[9abcdefghijklmnopqrstuvwxyz]|y8)/ and companyId not like /^(zz)/ and decision = "limited"
| stats count(*) as requests by companyId, operation, ratePolicy, path
| sort requests desc`,
  );
  const longest = '0'.repeat(24);
  expect(limitedPathsQuery('2026-11-25T09', { from: longest, before: `${longest.slice(1)}1` }).length).toBeLessThan(
    10_000,
  );
});

test('ranges begin at the first company and at each given company after it', () => {
  expect(rangesFrom('', ['b', 'd'])).toEqual([
    { from: '', before: 'b' },
    { from: 'b', before: 'd' },
    { from: 'd', before: undefined },
  ]);
  expect(rangesFrom('b', ['b', 'd'])).toEqual([
    { from: 'b', before: 'd' },
    { from: 'd', before: undefined },
  ]);
});

test('a range is divided in the middle of its companies; one company alone is not', () => {
  const range = { from: 'a', before: 'z' };
  expect(halvesOf(range, ['b', 'c', 'd'])).toEqual([
    { from: 'a', before: 'c' },
    { from: 'c', before: 'z' },
  ]);
  expect(halvesOf(range, ['b', 'c'])).toEqual([
    { from: 'a', before: 'c' },
    { from: 'c', before: 'z' },
  ]);
  expect(halvesOf(range, ['b'])).toEqual([]);
  expect(halvesOf(range, [])).toEqual([]);
});

describe('ranges that have become small are joined', () => {
  test.each([
    [[['', 4]], []],
    [
      [
        ['', 4],
        ['b', 6],
      ],
      [],
    ],
    [
      [
        ['', 4],
        ['b', 7],
      ],
      ['b'],
    ],
    [
      [
        ['', 90],
        ['b', 5],
        ['c', 5],
        ['d', 1],
      ],
      ['b', 'd'],
    ],
    [
      [
        ['', 1],
        ['b', 90],
        ['c', 1],
      ],
      ['b', 'c'],
    ],
  ] as const)('%j begin at %j, where ten rows are few', (counted, begins) => {
    expect(
      beginsOf(
        counted.map(([from, rows]) => ({ from, rows })),
        10,
      ),
    ).toEqual(begins);
  });
});
