import { tableOf } from '../../partner/site/markdown.ts';
import { assumptions, type BackgroundMeasurement, type BackgroundWork, backgroundMeasurements } from './capacity.ts';
import { logStorage } from './cost.ts';
import type { Template } from './example-template.ts';
import { functionMegabytes } from './function-memory.ts';
import type { Passages } from './marked-passages.ts';
import { type CostItem, dollars, gigabytesOf, totalOf } from './prices.ts';

/** The passages about the cost of work that is not a request, calculated from measurements and prices. */
export const backgroundCostPassages = (template: Template): Passages => ({
  'background-costs': () => backgroundTable(template),
  // Millions of reports a month: 10 million gateways, 24 a day.
  'reports-of-fleet': () => {
    const each = backgroundCost('a report of a circuit, of ten at once', template);
    return Number((10 * 24 * 30 * each).toPrecision(2)).toLocaleString('en-US');
  },
  // Of a thousand homes for a month, by the minutes between two reports.
  'measurement-intervals': () =>
    tableOf(
      ['minutes between two reports', 'reports of a home and month', 'a thousand homes and a month'],
      [5, 15, 60].map((minutes) => {
        const reports = (30 * 24 * 60) / minutes;
        const cost = (reports * 1000 * backgroundCost('a report of measurements, of ten at once', template)) / 1e6;
        return [`${minutes}`, reports.toLocaleString('en-US'), dollars(cost)];
      }),
    ),
  'report-cost-goal': () => dollars(backgroundGoals['a report of a circuit, of ten at once']),
  'webhook-cost-goal': () => dollars(backgroundGoals['a webhook message, of ten at once']),
});

/** US dollars per million. */
export const backgroundGoals = {
  'a report of a circuit, of ten at once': 1.6,
  'a webhook message, of ten at once': 6.2,
} as const satisfies Partial<Record<BackgroundWork, number>>;

type Units = BackgroundMeasurement & {
  /** A send, a receive and a deletion each take up to ten messages. */
  readonly queueRequests: number;
  readonly invocations: number;
  readonly gigabyteSeconds: number;
  readonly bytesOut: number;
};

type Calls = Pick<Units, 'queueRequests' | 'invocations'> & {
  /** The duration of an invocation. */
  readonly milliseconds: number;
  readonly bytesOut?: number;
};

/** A report is sent, received and deleted; its consumer is called, and so are both readers of its table's stream. */
const ofReport = { queueRequests: 3, invocations: 3, milliseconds: assumptions.functionMilliseconds };

/** The recorder of an event is invoked with the event's report, which counts the invocation. */
const ofEvent = { queueRequests: 0, invocations: 0, milliseconds: 0 };

/** A webhook message is sent alone, received and deleted. Its invocation waits for one receiver, or for ten in parallel. */
const ofMessage = { milliseconds: assumptions.receiverMilliseconds, bytesOut: assumptions.messageBytes };

/** A run of the job for this feed alone. The feed has half a MB. */
const ofPurge = { queueRequests: 0, invocations: 1, milliseconds: assumptions.purgeMillisecondsOfMegabyte / 2 };

const calls: Readonly<Record<BackgroundWork, Calls>> = {
  'a report of a circuit': ofReport,
  'a report of a circuit, of ten at once': { ...ofReport, queueRequests: 0.3, invocations: 0.3 },
  'the energy of a day, of ten at once': { ...ofReport, queueRequests: 0.3, invocations: 0.3 },
  'the energy of a day with cooling, of ten at once': { ...ofReport, queueRequests: 0.3, invocations: 0.3 },
  'the energy of an hour, of ten at once': { ...ofReport, queueRequests: 0.3, invocations: 0.3 },
  'the energy of an hour with all values, of ten at once': { ...ofReport, queueRequests: 0.3, invocations: 0.3 },
  'a report of measurements, of ten at once': { ...ofReport, queueRequests: 0.3, invocations: 0.3 },
  'an event of a feed': ofEvent,
  'an event of a feed, of ten at once': ofEvent,
  'a feed of 1,000 events, purged of ten': ofPurge,
  'a webhook message': { ...ofMessage, queueRequests: 3, invocations: 1 },
  'a webhook message, of ten at once': { ...ofMessage, queueRequests: 1.2, invocations: 0.1 },
};

/** Returns the cost in US dollars per million. */
export const backgroundCost = (work: BackgroundWork, template: Template): number => {
  const units = unitsOf(work, template);
  return columns.reduce((sum, { unit, itemsOf }) => sum + totalOf(itemsOf(units[unit])), 0);
};

const unitsOf = (work: BackgroundWork, template: Template): Units => {
  const { milliseconds, bytesOut = 0, ...others } = calls[work];
  const seconds = (others.invocations * milliseconds) / 1000;
  const gigabyteSeconds = Number((seconds * (functionMegabytes(template) / 1024)).toPrecision(4));
  return { ...backgroundMeasurements[work], ...others, gigabyteSeconds, bytesOut };
};

type Column = { readonly unit: keyof Units; readonly what: string; readonly itemsOf: (each: number) => CostItem[] };

const counted =
  (price: CostItem['price'], perMillion = 1) =>
  (each: number): CostItem[] => [{ price, units: each * perMillion, takes: `${each}` }];

const columns: readonly Column[] = [
  { unit: 'readUnits', what: 'read units', itemsOf: counted('readUnit') },
  { unit: 'writeUnits', what: 'write units', itemsOf: counted('writeUnit') },
  { unit: 'queueRequests', what: 'calls of SQS', itemsOf: counted('queueRequest') },
  { unit: 'invocations', what: 'invocations', itemsOf: counted('invocation') },
  { unit: 'gigabyteSeconds', what: 'GB-seconds', itemsOf: counted('gigabyteSecond', 1e6) },
  {
    unit: 'lineBytes',
    what: 'bytes of log, kept',
    itemsOf: (bytes) => [...counted('logIngestion', gigabytesOf(1))(bytes), logStorage(bytes)],
  },
  { unit: 'bytesOut', what: 'bytes sent out', itemsOf: counted('transferOut', gigabytesOf(1)) },
];

/**
 * Returns the table of costs. Its first row has the price of a million of each unit, so that a reader can recalculate the
 * others.
 */
const backgroundTable = (template: Template): string =>
  tableOf(
    ['a million of', ...columns.map(({ what }) => what), 'cost'],
    [
      ['the unit itself', ...columns.map(({ itemsOf }) => `$${Number(totalOf(itemsOf(1)).toPrecision(4))}`), ''],
      ...(Object.keys(backgroundMeasurements) as BackgroundWork[]).map((work) => {
        const units = unitsOf(work, template);
        return [work, ...columns.map(({ unit }) => `${units[unit]}`), dollars(backgroundCost(work, template))];
      }),
    ],
  );
