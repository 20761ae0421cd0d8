import { tables } from '../../lambdas/api/tables.ts';
import {
  assumptions,
  backgroundMeasurements,
  measurements,
  newTable,
  partition,
  tableQuota,
  tableUnits,
} from './capacity.ts';
import { prices } from './prices.ts';

/** A load that exceeds one stage, and the cells that divide it. docs/outgrowing.md describes cells. */
export const cellPlan = {
  partners: 10_000,
  gateways: 10_000_000,
  requestsPerSecond: 50_000,
  reportsADay: 24,
  changesADay: 1,
  companiesOfCell: 500,
  /** The mean number of companies that may act on a home. */
  companiesOfHome: 2,
} as const;

export type CellPlan = { readonly [Name in keyof typeof cellPlan]: number };

const secondsOfDay = 86_400;

/** The default quotas of an account in most regions: API Gateway's requests per second, and Lambda's concurrent executions. */
export const accountQuota = { requestsPerSecond: 10_000, executions: 1000 } as const;

type CellLoad = {
  readonly companies: number;
  readonly requestsPerSecond: number;
  readonly gateways: number;
  readonly reportsPerSecond: number;
  readonly changesPerSecond: number;
  /** Events appended to feeds, if each report is an event for every company of its home. */
  readonly eventsPerSecond: number;
};

/** The whole load on one stage. */
export const totalLoad = (plan: CellPlan): CellLoad => ({
  companies: plan.partners,
  requestsPerSecond: plan.requestsPerSecond,
  gateways: plan.gateways,
  reportsPerSecond: (plan.gateways * plan.reportsADay) / secondsOfDay,
  changesPerSecond: (plan.gateways * plan.changesADay) / secondsOfDay,
  eventsPerSecond: (plan.gateways * plan.reportsADay * plan.companiesOfHome) / secondsOfDay,
});

export const cellCount = ({ partners, companiesOfCell }: CellPlan): number => Math.ceil(partners / companiesOfCell);

/** The mean number of cells that a home is in, if each of its companies is equally likely to be in any cell. */
export const cellsOfHome = (plan: CellPlan): number => {
  const cells = cellCount(plan);
  return cells * (1 - (1 - 1 / cells) ** plan.companiesOfHome);
};

/** The load of the fullest cell. A home is in each cell of its companies; a change is made in one, and reported to all. */
export const fullestCell = (plan: CellPlan): CellLoad => {
  const [requestsPerSecond = 0] = placedLoads(plan).toSorted((one, other) => other - one);
  const whole = totalLoad(plan);
  const copies = cellsOfHome(plan) / cellCount(plan);
  return {
    companies: plan.companiesOfCell,
    requestsPerSecond,
    gateways: whole.gateways * copies,
    reportsPerSecond: whole.reportsPerSecond * copies,
    changesPerSecond: (whole.changesPerSecond * requestsPerSecond) / whole.requestsPerSecond,
    eventsPerSecond: whole.eventsPerSecond / cellCount(plan),
  };
};

/** Requests per second of each company, the largest first: Zipf's law, capped at what the company's partitions serve. */
export const companyLoads = ({ partners, requestsPerSecond }: CellPlan): number[] => {
  const most = partition.readUnits;
  const loadsBy = (first: number) =>
    Array.from({ length: partners }, (_, index) => Math.min(most, first / (index + 1)));
  let [low, high] = [0, requestsPerSecond];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    const sum = loadsBy(middle).reduce((all, each) => all + each, 0);
    [low, high] = sum < requestsPerSecond ? [middle, high] : [low, middle];
  }
  return loadsBy(high);
};

/** Requests per second of each cell. Companies are placed largest first, each in the least loaded cell with room. */
export const placedLoads = (plan: CellPlan): number[] => {
  const cells = Array.from({ length: cellCount(plan) }, () => ({ load: 0, companies: 0 }));
  for (const load of companyLoads(plan)) {
    const open = cells.filter(({ companies }) => companies < plan.companiesOfCell);
    const [first, ...others] = open;
    if (!first) throw new Error('The cells do not have enough room for all companies.');
    const emptiest = others.reduce((least, each) => (each.load < least.load ? each : least), first);
    emptiest.load += load;
    emptiest.companies++;
  }
  return cells.map(({ load }) => load);
};

type Demand = {
  readonly what: string;
  readonly quota: number;
  /** The demand of a load, per second. */
  readonly of: (load: CellLoad) => number;
};

/** Write units per change: a record in a transaction takes two, and each index of the table takes one more. */
const auditWrites = 2 + Object.keys(tables.AuditLog.indexes).length;

type HotTable = keyof typeof tableUnits;

/** The demand on each hot table and on the account, with their default quotas. */
export const demands: readonly Demand[] = [
  ...(Object.keys(tableUnits) as HotTable[]).flatMap((name): Demand[] => {
    const { readUnits, writeUnits } = tableUnits[name];
    const writes = {
      what: `\`${name}\`, write units`,
      quota: tableQuota.writeUnits,
      of: (load: CellLoad) =>
        load.requestsPerSecond * writeUnits +
        (name === 'Appliances' ? load.reportsPerSecond + 2 * load.changesPerSecond : 0),
    };
    return [
      {
        what: `\`${name}\`, read units`,
        quota: tableQuota.readUnits,
        of: (load) => load.requestsPerSecond * readUnits,
      },
      ...(writeUnits > 0 || name === 'Appliances' ? [writes] : []),
    ];
  }),
  {
    what: '`Events`, write units',
    quota: tableQuota.writeUnits,
    of: (load) => load.eventsPerSecond * backgroundMeasurements['an event of a feed, of ten at once'].writeUnits,
  },
  { what: '`AuditLog`, write units', quota: tableQuota.writeUnits, of: (load) => load.changesPerSecond * auditWrites },
  {
    what: 'API Gateway, requests of an account',
    quota: accountQuota.requestsPerSecond,
    of: (load) => load.requestsPerSecond,
  },
  {
    what: `Lambda, executions at ${assumptions.functionMilliseconds} ms`,
    quota: accountQuota.executions,
    of: (load) => (load.requestsPerSecond * assumptions.functionMilliseconds) / 1000,
  },
];

/** The requests per second that new tables serve without being pre-warmed. */
export const newTableRequests = (): number => {
  const ofEach = Object.values(tableUnits).flatMap(({ readUnits, writeUnits }) => [
    newTable.readUnits / readUnits,
    newTable.writeUnits / writeUnits,
  ]);
  return Math.min(...ofEach);
};

/** Bytes that requests write to the logs per day. */
export const logBytesOfDay = ({ requestsPerSecond }: CellLoad): number => {
  const { eventBytes, accessLogBytes } = measurements.getHeatingCircuit;
  return requestsPerSecond * secondsOfDay * (eventBytes + accessLogBytes);
};

/**
 * The monthly price tiers of REST API calls: the size of each tier, and its price as a share of the first price. The shares are
 * those of us-east-1: $3.50, $2.80, $2.38 and $1.51. The calls of all accounts of an organization are counted together:
 * https://docs.aws.amazon.com/whitepapers/latest/best-practices-api-gateway-private-apis-integration/cost-optimization.html
 */
const restCallTiers = [
  { millions: 333, share: 1 },
  { millions: 667, share: 2.8 / 3.5 },
  { millions: 19_000, share: 2.38 / 3.5 },
  { millions: Number.POSITIVE_INFINITY, share: 1.51 / 3.5 },
];

/** The cost of REST API calls per month in US dollars, with the price tiers. */
export const restCallCost = (millions: number): number => {
  let [left, cost] = [millions, 0];
  for (const tier of restCallTiers) {
    const here = Math.min(left, tier.millions);
    cost += here * prices.restCall.each * tier.share;
    left -= here;
  }
  return cost;
};

/** The cost of requests per month in US dollars, from the cost of a million requests at the first price. */
export const requestCostAtVolume = (millions: number, costOfMillion: number): number =>
  millions * (costOfMillion - prices.restCall.each) + restCallCost(millions);
