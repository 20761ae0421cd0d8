import { bucketReadUnits, companyPartitionReads, newTable, partition } from '../../docs/generate/capacity.ts';
import { storeDeadlineMs } from '../../lambdas/runtime/function-environment.ts';
import { seededNumbers } from '../../test/support/random.ts';

const rates = [1000, 1500, 2000, 3000, 5000, 10_000];
const goal = 10_000;

export const layouts = {
  'today: one item of each table': { key: 1, company: 1, contract: 1 },
  '4 copies of each': { key: 4, company: 4, contract: 4 },
} as const satisfies Record<string, Layout>;

/**
 * Prints the answers to one company's requests beyond the units of its partitions: a model with its own clock, without a store.
 */
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
        `    ${String(rate).padStart(6)}/s  200: ${(100 - share).toFixed(0).padStart(3)} %  503: ${share.toFixed(0).padStart(3)} %  ${throttlingText(throttled)}`,
      );
    }
  }
  printPlacements();
};

/** Prints the limits of one item or its partition, lowest first. A change takes two units, since a transaction writes it. */
const printCeilings = (): void => {
  const ceilings = {
    'changes a second, by the rows of AuditLog': partition.writeUnits / 2,
    'requests a second, by key, company and contract': partition.readUnits / companyPartitionReads.Contracts,
    'requests a second of all companies, by the buckets of a new table': newTable.writeUnits,
    'refusals a second of one path, by its bucket': partition.readUnits / bucketReadUnits,
  };
  for (const [name, ceiling] of Object.entries(ceilings).toSorted(([, one], [, other]) => one - other))
    console.log(`  ${String(ceiling).padStart(6)} ${name}`);
};

const throttlingText = (throttled: Readonly<Record<Item, number>>): string => {
  const counts = Object.entries(throttled).filter(([, count]) => count > 0);
  const order = counts.toSorted(([, one], [, other]) => other - one);
  return order.length === 0 ? 'nothing throttled' : `throttled: ${order.map(([item]) => item).join(', ')}`;
};

/** A hash of the ids decides where copies are stored, so it takes more copies than partitions, and luck. */
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

/** Items that a request reads consistently, at one unit each. */
type Item = 'key' | 'company' | 'contract';

/** The number of partitions over which the reads of each item are spread. */
type Layout = Readonly<Record<Item, number>>;

export type Outcome = {
  readonly served: number;
  /** Requests with a 503 and Retry-After. The model has no other rejection: a throttled item does not count as absent. */
  readonly unavailable: number;
  /** Rejected reads, by item. */
  readonly throttled: Readonly<Record<Item, number>>;
};

type Request = { readonly arrivedAtMs: number; readonly attempt: number; readonly pending: readonly Item[] };

const items: readonly Item[] = ['key', 'company', 'contract'];

/** As `batchGet` and `backOff` do: the largest number of attempts, and full jitter under a limit that doubles. */
const [maxAttempts, firstCeilingMs] = [4, 25];

const warmUpMs = 2000;

/**
 * Simulates one company whose requests arrive evenly, each for one of many gateways. A batch read takes what DynamoDB returns;
 * the rest is read again, and after the last attempt the request gets a 503. Counts requests that arrive after the warm-up.
 */
export const simulateCompany = (
  requestsPerSecond: number,
  layout: Layout,
  random: () => number,
  durationMs = 5000,
): Outcome => {
  const spread = (count: number) => Array.from({ length: count }, () => createPartition(partition.readUnits));
  const partitions = { key: spread(layout.key), company: spread(layout.company), contract: spread(layout.contract) };
  const outcome = { served: 0, unavailable: 0, throttled: { key: 0, company: 0, contract: 0 } };

  const read = (item: Item, nowMs: number): boolean => {
    const choices = partitions[item];
    return choices[Math.floor(random() * choices.length)]?.take(1, nowMs) ?? false;
  };

  // The clock advances by milliseconds; retries come before new requests.
  const due = new Map<number, Request[]>();
  const serve = (request: Request, nowMs: number): void => {
    const isCounted = request.arrivedAtMs >= warmUpMs;
    const pending = request.pending.filter((item) => !read(item, nowMs));
    if (isCounted) for (const item of pending) outcome.throttled[item]++;
    if (pending.length === 0) {
      if (isCounted) outcome.served++;
      return;
    }
    const againAtMs = Math.ceil(nowMs + 1 + random() * firstCeilingMs * 2 ** request.attempt);
    const isLast = request.attempt + 1 === maxAttempts || againAtMs - request.arrivedAtMs > storeDeadlineMs;
    if (isLast && isCounted) outcome.unavailable++;
    if (!isLast)
      due.set(againAtMs, [...(due.get(againAtMs) ?? []), { ...request, attempt: request.attempt + 1, pending }]);
  };

  for (let nowMs = 0, arrived = 0; nowMs < durationMs || due.size > 0; nowMs++) {
    const waiting = due.get(nowMs) ?? [];
    due.delete(nowMs);
    for (const request of waiting) serve(request, nowMs);
    const untilNow = Math.floor((Math.min(nowMs + 1, durationMs) * requestsPerSecond) / 1000);
    for (; arrived < untilNow; arrived++) serve({ arrivedAtMs: nowMs, attempt: 0, pending: items }, nowMs);
  }
  return outcome;
};

/**
 * Returns the chance that no partition gets more than `most` of the copies if each copy falls into any partition with equal
 * probability, as with the hash of a key: copies! times the coefficient of x^copies in (sum of x^k/k! for k up to
 * most)^partitions, over all partitions^copies ways.
 */
export const chanceOfAtMost = (most: number, copies: number, partitions: number): number => {
  let chances = [1, ...Array<number>(copies).fill(0)];
  for (let placed = 0; placed < partitions; placed++)
    chances = chances.map((_, total) => {
      let sum = 0;
      for (let here = 0; here <= Math.min(most, total); here++)
        sum += (chances[total - here] ?? 0) / factorial(here) / partitions ** here;
      return sum;
    });
  return (chances[copies] ?? 0) * factorial(copies);
};

const factorial = (number: number): number => (number < 2 ? 1 : number * factorial(number - 1));

/**
 * A partition of a table with DynamoDB's limit: a number of units per second, of which at most a tenth of a second is saved.
 */
export type Partition = {
  /** Takes the units if the partition has them; returns false, without taking any, if the item is throttled. */
  readonly take: (units: number, nowMs: number) => boolean;
};

/** Units are refilled by the model's own clock. */
const createPartition = (unitsPerSecond: number): Partition => {
  const most = unitsPerSecond / 10;
  let left = most;
  let asOfMs = 0;
  return {
    take: (units, nowMs) => {
      left = Math.min(most, left + ((nowMs - asOfMs) * unitsPerSecond) / 1000);
      asOfMs = nowMs;
      if (left < units) return false;
      left -= units;
      return true;
    },
  };
};
