import { describe, expect, test } from 'vitest';
import { partition } from '../../docs/generate/capacity.ts';
import { campaign } from '../../test/support/campaign.ts';
import { seededNumbers } from '../../test/support/random.ts';
import { chanceOfAtMost, layouts, simulateCompany } from './hot-items.ts';

const served = (layout: keyof typeof layouts, requestsPerSecond: number) => {
  const { served, unavailable } = simulateCompany(requestsPerSecond, layouts[layout], seededNumbers(1));
  return served / (served + unavailable);
};

describe('one company in the model of partitions', campaign, () => {
  test.each([
    ['today: one item of each table', partition.readUnits],
    ['4 copies of each', 10_000],
  ] as const)('%s: all are served up to %i requests a second', (layout, ceiling) => {
    expect(served(layout, ceiling)).toBe(1);
  });

  test('far beyond the limit, about as many requests are served as there are units', () => {
    const share = served('today: one item of each table', 10_000);
    expect(share).toBeCloseTo(partition.readUnits / 10_000, 2);
  });
});

test('the chance of a placement equals that of all placements counted one by one', campaign, () => {
  expect(chanceOfAtMost(1, 4, 4)).toBeCloseTo(24 / 256);
  expect(chanceOfAtMost(2, 3, 2)).toBeCloseTo(6 / 8);
  expect(chanceOfAtMost(4, 4, 4)).toBeCloseTo(1);
  expect(chanceOfAtMost(1, 5, 4)).toBe(0);
});
