import { bucketReadUnits, companyPartitionReads } from '../../../docs/generate/cost/measurements.ts';
import { newTable, partition } from '../../../docs/generate/scale/quotas.ts';
import { seededNumbers } from '../../support/random.ts';
import { type Item, type Layout, simulateCompany } from './company.ts';
import { chanceOfAtMost } from './placement.ts';

const rates = [1000, 1500, 2000, 3000, 5000, 10_000];
const goal = 10_000;

export const layouts = {
  'today: contract and grants in one partition': { key: 1, contract: 1, grant: 1, isContractWithGrants: true },
  'today, after DynamoDB moved the contract item to its own': {
    key: 1,
    contract: 1,
    grant: 4,
    isContractWithGrants: false,
  },
  '4 copies of key and contract, grants in 4 parts': { key: 4, contract: 4, grant: 4, isContractWithGrants: false },
} as const satisfies Record<string, Layout>;

/** What one company is answered beyond the units of its partitions: a model with a clock of its own, no store. */
export const simulateHotItems = (): void => {
  console.log(
    `One company's requests with a gateway; a partition gives ${partition.readUnits} read units a second (model, no store)`,
  );
  printCeilings();
  for (const [name, layout] of Object.entries(layouts)) {
    console.log(`  ${name}`);
    for (const rate of rates) {
      const { served, unavailable, throttled } = simulateCompany(rate, layout, seededNumbers(rate));
      const share = (100 * unavailable) / (served + unavailable);
      console.log(
        `    ${String(rate).padStart(6)}/s  200: ${(100 - share).toFixed(0).padStart(3)} %  503: ${share.toFixed(0).padStart(3)} %  ${told(throttled)}`,
      );
    }
  }
  printPlacements();
};

/** What one item or its partition gives, the lowest first. A change is two units, since it is written in a transaction. */
const printCeilings = (): void => {
  const ceilings = {
    'changes a second, by the rows of AuditLog': partition.writeUnits / 2,
    'requests a second, by contract and grants in one partition': partition.readUnits / companyPartitionReads.Contracts,
    'requests a second, by the keys': partition.readUnits / companyPartitionReads.ApiKeys,
    'requests a second of all companies, by the buckets of a new table': newTable.writeUnits,
    'refusals a second of one path, by its bucket': partition.readUnits / bucketReadUnits,
  };
  for (const [name, ceiling] of Object.entries(ceilings).toSorted(([, one], [, other]) => one - other))
    console.log(`  ${String(ceiling).padStart(6)} ${name}`);
};

const told = (throttled: Readonly<Record<Item, number>>): string => {
  const counts = Object.entries(throttled).filter(([, count]) => count > 0);
  const order = counts.toSorted(([, one], [, other]) => other - one);
  return order.length === 0 ? 'nothing throttled' : `throttled: ${order.map(([item]) => item).join(', ')}`;
};

/** Where copies fall is up to the hash of their ids, so more copies than partitions are needed, and luck. */
const printPlacements = (): void => {
  console.log(`  Chance that no partition is asked for more than it gives, at ${goal}/s, by the hash of the ids alone`);
  const ofNewTable = newTable.readUnits / partition.readUnits;
  for (const [table, readUnits] of Object.entries(companyPartitionReads))
    for (const partitions of [ofNewTable, 16, 64])
      console.log(
        `    ${table.padEnd(9)} on ${String(partitions).padStart(2)} partitions: ${[4, 8, 16, 32]
          .map((copies) => {
            const most = Math.floor((partition.readUnits * copies) / (goal * readUnits));
            return `${copies} copies ${(100 * chanceOfAtMost(most, copies, partitions)).toFixed(0)} %`;
          })
          .join(', ')}`,
      );
  console.log('');
};
