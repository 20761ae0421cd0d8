import type { OperationId } from '../../lambdas/api/endpoints/endpoints.ts';

/**
 * What one allowed request consumes in a process that has admitted such a request before, and remembers thousands of them. The
 * first one also reads its bucket, half a read unit. `test/docs/measurements.store.test.ts` measures it.
 */
export type Measurement = {
  /** DynamoDB's units, including those of the chain, as DynamoDB Local counts them, except for transactions. */
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The line of the event, with ids as long as UUIDs. */
  readonly eventBytes: number;
  readonly accessLogBytes: number;
  /** Status, headers and body as the function returns them. */
  readonly answerBytes: number;
};

/**
 * One operation of each kind. Every other operation consumes at most as much as the most expensive of these. Bytes may differ
 * by a tenth: ids and sizes have more digits on some machines, and one more property changes no price.
 */
export const measurements = {
  getContract: { readUnits: 3.5, writeUnits: 1, eventBytes: 234, accessLogBytes: 150, answerBytes: 583 },
  getOwnApiKey: { readUnits: 3, writeUnits: 1, eventBytes: 238, accessLogBytes: 153, answerBytes: 595 },
  // With all that it can include, of a home with four circuits and eight time programs.
  getGateway: { readUnits: 6, writeUnits: 1, eventBytes: 307, accessLogBytes: 159, answerBytes: 4396 },
  // One unit more than up to version 1.4, for the gateway, which shows whether a circuit is alive; time programs need one less.
  getHeatingCircuit: { readUnits: 5, writeUnits: 1, eventBytes: 333, accessLogBytes: 187, answerBytes: 957 },
  listHeatingCircuits: { readUnits: 5, writeUnits: 1, eventBytes: 332, accessLogBytes: 175, answerBytes: 1606 },
  // A year of a home that cools, the most that one request reads. A home without cooling needs 15 read units.
  getEnergy: { readUnits: 20, writeUnits: 1, eventBytes: 311, accessLogBytes: 166, answerBytes: 99_230 },
  // All hours that are kept of a home that cools. The default, 24 hours, reads two read units of energy.
  getHourlyEnergy: { readUnits: 6, writeUnits: 1, eventBytes: 325, accessLogBytes: 172, answerBytes: 47_515 },
  // All hours that are kept, of a company that calls each operation in every hour with each of its keys, and too often.
  getUsage: { readUnits: 130.5, writeUnits: 1, eventBytes: 229, accessLogBytes: 147, answerBytes: 184_585 },
  // A page of a hundred changes of time programs, all of one owner: each further owner takes a unit.
  listAuditEntries: { readUnits: 18, writeUnits: 1, eventBytes: 236, accessLogBytes: 147, answerBytes: 68_780 },
  listHeatingTimePrograms: { readUnits: 4, writeUnits: 1, eventBytes: 352, accessLogBytes: 200, answerBytes: 714 },
  getMeasurements: { readUnits: 4.5, writeUnits: 1, eventBytes: 325, accessLogBytes: 172, answerBytes: 1568 },
  listEvents: { readUnits: 2.5, writeUnits: 1, eventBytes: 408, accessLogBytes: 148, answerBytes: 418 },
  createApiKey: { readUnits: 3, writeUnits: 13, eventBytes: 474, accessLogBytes: 151, answerBytes: 624 },
  updateHeatingCircuit: { readUnits: 5, writeUnits: 15, eventBytes: 523, accessLogBytes: 189, answerBytes: 954 },
  updateHeatingTimeProgram: { readUnits: 5.5, writeUnits: 15, eventBytes: 542, accessLogBytes: 216, answerBytes: 599 },
  deleteWebhook: { readUnits: 2, writeUnits: 11, eventBytes: 450, accessLogBytes: 165, answerBytes: 285 },
} as const satisfies Partial<Record<OperationId, Measurement>>;

export type MeasuredOperation = keyof typeof measurements;

export const measuredOperations = Object.keys(measurements) as MeasuredOperation[];

/** What one item of background work consumes of the store and of the log. */
export type BackgroundMeasurement = {
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Its share of the log line of its batch. */
  readonly lineBytes: number;
};

/**
 * Background work that arrives one at a time, and ten at once. `test/docs/background-measurements.store.test.ts` measures it.
 */
export const backgroundMeasurements = {
  'a report of a circuit': { readUnits: 0, writeUnits: 1, lineBytes: 171 },
  'a report of a circuit, of ten at once': { readUnits: 0, writeUnits: 1, lineBytes: 52 },
  // The mean over a month, whose item grows each day.
  'the energy of a day, of ten at once': { readUnits: 0, writeUnits: 2.6, lineBytes: 52 },
  'the energy of a day with cooling, of ten at once': { readUnits: 0, writeUnits: 3.6, lineBytes: 52 },
  // The mean over a day, whose item grows each hour, including its creation.
  'the energy of an hour, of ten at once': { readUnits: 0, writeUnits: 1.1, lineBytes: 52 },
  'the energy of an hour with all values, of ten at once': { readUnits: 0, writeUnits: 1.5, lineBytes: 52 },
  // A home with a heat pump and nine measurements, one of which has no newer value.
  'a report of measurements, of ten at once': { readUnits: 0.5, writeUnits: 1, lineBytes: 52 },
  'an event of a feed': { readUnits: 3, writeUnits: 6, lineBytes: 166 },
  'an event of a feed, of ten at once': { readUnits: 0.3, writeUnits: 3.4, lineBytes: 17 },
  // The ten events are of a revoked gateway, the others of another gateway.
  'a feed of 1,000 events, purged of ten': { readUnits: 136, writeUnits: 14, lineBytes: 119 },
  'a webhook message': { readUnits: 2.5, writeUnits: 6, lineBytes: 246 },
  'a webhook message, of ten at once': { readUnits: 2.5, writeUnits: 6, lineBytes: 247 },
} as const satisfies Record<string, BackgroundMeasurement>;

export type BackgroundWork = keyof typeof backgroundMeasurements;

/** Read units that a request with a gateway consumes of its company's partition. The same test measures them. */
export const companyPartitionReads = { ApiKeys: 1, Companies: 1, Contracts: 1 } as const;

/**
 * Units that the typical request consumes of each table, in a process that has not admitted such a request before. The same
 * test measures them.
 */
export const tableUnits = {
  ApiKeys: { readUnits: 1, writeUnits: 0 },
  Companies: { readUnits: 1, writeUnits: 0 },
  Contracts: { readUnits: 1, writeUnits: 0 },
  Appliances: { readUnits: 2, writeUnits: 0 },
  TokenBuckets: { readUnits: 0.5, writeUnits: 1 },
} as const;

/** Units a second that DynamoDB gives one table by default: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html */
export const tableQuota = { readUnits: 40_000, writeUnits: 40_000 } as const;

/**
 * Read units that the most expensive page of a home consumes of its gateway's partition: the gateway, 40 circuits, the time
 * programs that fill it, and 30 more of the longest kind, of which hardly one fits. The same test measures them.
 */
export const largestHomeReadUnits = 188;

/** Read units of the bucket's own item, which are all that a refused request consumes of it. The same test measures them. */
export const bucketReadUnits = 0.5;

/**
 * Bytes of the longest row that a partner's change writes to AuditLog, and again to each of its indexes: the row of a time
 * program with two switch points instead of one. The same test measures it, and what each further point adds, before or after
 * the change.
 */
export const auditRowBytes = 560;
export const auditBytesOfSwitchPoint = 49;

/** Bytes of a month of energy in the table, with everything that can be measured. The same test measures it. */
export const energyMonthBytes = 5800;

/** The same for a day of hourly energy. */
export const energyHoursBytes = 1620;

/** Bytes of the item with as many measurements as the demo world has. The same test measures it. */
export const measurementsBytes = 505;

/** Bytes of an attempt to send a webhook message in its table. `test/docs/background-measurements.store.test.ts` measures it. */
export const attemptBytes = 205;

/** Milliseconds of a whole core that a remembered call of the typical operation computes: `npm run bench`. */
export const callProcessorMilliseconds = 1.5;

/**
 * The memory at which a function gets one whole core; less memory gets a proportional share:
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 */
export const megabytesOfCore = 1769;

/** Values that only AWS can measure, with the place to find them. */
export const assumptions = {
  /**
   * Billed duration of a function: that of a remembered call by the memory of the function, rounded up for cold starts.
   * `ask latency-by-operation` of the runbooks measures it.
   */
  functionMilliseconds: 14,
  /** How long a remembered call waits for its two concurrent store commands: `storeMs` of `slowest-requests`. */
  storeMilliseconds: 5,
  /** Headers that API Gateway adds to an answer: request ids, date, length, trace. */
  gatewayHeaderBytes: 300,
  /**
   * How long a partner's receiver takes to answer a webhook message, including name resolution and a new connection; and the
   * bytes that are sent to it.
   */
  receiverMilliseconds: 300,
  messageBytes: 3000,
  /** How long a function takes to read a MB of a feed. */
  purgeMillisecondsOfMegabyte: 500,
  /** The share of a log line that is stored, after gzip. */
  storedShare: 0.25,
  /** The size of all tables, including indexes. */
  tableGigabytes: 1,
  /** The number of long polls that Lambda keeps open on an empty queue, and the longest duration of each. */
  pollersOfQueue: 5,
  pollSeconds: 20,
} as const;

/**
 * Units per second that one partition of DynamoDB serves, and that a new on-demand table serves:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html and
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/pre-warming-on-demand-capacity-mode.html
 */
export const partition = { readUnits: 3000, writeUnits: 1000 } as const;
export const newTable = { readUnits: 12_000, writeUnits: 4000 } as const;
