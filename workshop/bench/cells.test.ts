import { describe, expect, test } from 'vitest';
import { newTable, partition, tableUnits } from '../../docs/generate/capacity.ts';
import {
  accountQuota,
  cellCount,
  cellPlan,
  cellsOfHome,
  companyLoads,
  demands,
  fullestCell,
  newTableRequests,
  placedLoads,
  requestCostAtVolume,
  restCallCost,
  totalLoad,
} from '../../docs/generate/cells.ts';
import { prices } from '../../docs/generate/prices.ts';
import { campaign } from '../../test/support/campaign.ts';
import { seededNumbers } from '../../test/support/random.ts';
import { drawnCellsOfHome, luckyLoads } from './cells.ts';

const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);

describe('the plan of cells', campaign, () => {
  test('leaves each quota of a table and of an account half unused in the fullest cell; one stage exceeds it', () => {
    const [whole, fullest] = [totalLoad(cellPlan), fullestCell(cellPlan)];
    const exceeded = demands.filter(({ quota, of }) => of(whole) > quota);
    expect(exceeded.map(({ what }) => what)).toEqual([
      '`ApiKeys`, read units',
      '`Companies`, read units',
      '`Contracts`, read units',
      '`Appliances`, read units',
      '`TokenBuckets`, write units',
      'API Gateway, requests of an account',
    ]);
    for (const { what, quota, of } of demands) expect(of(fullest), what).toBeLessThan(quota / 2);
  });

  test('has room in each cell for one more company that uses all that its partitions serve', () => {
    const { requestsPerSecond } = fullestCell(cellPlan);
    expect(requestsPerSecond + partition.readUnits).toBeLessThan(accountQuota.requestsPerSecond);
  });

  test('needs no tables that were warmed up in advance', () => {
    const { requestsPerSecond } = fullestCell(cellPlan);
    for (const { readUnits, writeUnits } of Object.values(tableUnits)) {
      expect(newTableRequests() * readUnits).toBeLessThanOrEqual(newTable.readUnits);
      expect(newTableRequests() * writeUnits).toBeLessThanOrEqual(newTable.writeUnits);
    }
    expect(requestsPerSecond).toBeLessThan(newTableRequests());
  });
});

describe('companies', campaign, () => {
  test('send the whole load together, each at most what its partitions serve, and each has a place', () => {
    const loads = companyLoads(cellPlan);
    expect([loads.length, Math.round(sum(loads))]).toEqual([cellPlan.partners, cellPlan.requestsPerSecond]);
    expect(Math.max(...loads)).toBe(partition.readUnits);
    const cells = placedLoads(cellPlan);
    expect([cells.length, Math.round(sum(cells))]).toEqual([cellCount(cellPlan), cellPlan.requestsPerSecond]);
  });

  test('are placed better in the emptiest cell than by a hash', () => {
    for (const seed of [1, 2, 3, 4, 5])
      expect(Math.max(...placedLoads(cellPlan))).toBeLessThan(Math.max(...luckyLoads(cellPlan, seededNumbers(seed))));
  });
});

test.each([1, 2, 5])(
  'homes of %i companies are in as many cells as randomly drawn homes',
  campaign,
  (companiesOfHome) => {
    const plan = { ...cellPlan, companiesOfHome };
    expect(drawnCellsOfHome(plan, 50_000, seededNumbers(7))).toBeCloseTo(cellsOfHome(plan), 1);
  },
);

describe('calls of API Gateway', campaign, () => {
  test.each([
    [333, 333 * 3.7],
    [1000, 333 * 3.7 + 667 * 2.96],
    [20_000, 333 * 3.7 + 667 * 2.96 + 19_000 * 2.516],
    [20_001, 333 * 3.7 + 667 * 2.96 + 19_000 * 2.516 + 3.7 * (1.51 / 3.5)],
  ])('cost by their volume: %i million', (millions, dollars) => {
    expect(restCallCost(millions)).toBeCloseTo(dollars, 6);
  });

  test('are the only part of a request that costs less by volume', () => {
    expect(requestCostAtVolume(100, prices.restCall.each + 2)).toBeCloseTo(100 * (prices.restCall.each + 2), 6);
    expect(requestCostAtVolume(5000, 6)).toBeCloseTo(5000 * (6 - prices.restCall.each) + restCallCost(5000), 6);
  });
});
