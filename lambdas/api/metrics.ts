import { type ProblemCode, problems } from './problems.ts';

/** How a request ended: served, refused as designed, told to wait, or failed by our own fault. */
export const decisions = ['allowed', 'refused', 'limited', 'failed'] as const;
export type Decision = (typeof decisions)[number];

/** Those that `Requests` counts. */
export const unservedDecisions = decisions.filter((decision) => decision !== 'allowed');

export const decisionOf = (problem: ProblemCode | undefined): Decision => {
  if (problem === undefined) return 'allowed';
  const { status } = problems[problem];
  if (status >= 500) return 'failed';
  return status === 429 ? 'limited' : 'refused';
};

/**
 * The fields of a request's event that may tell one series of a metric from another. Each has few values, known beforehand: ids of
 * companies, keys, users and gateways are fields too, but never dimensions, since every value would be paid for as a
 * metric of its own.
 */
export type Dimension = 'decision' | 'reason' | 'ratePolicy';

/** The number of series that the metrics may have: each is paid for. CONTRIBUTING.md says what to do when a test finds more. */
export const maxMetricSeries = 52;

export type Metric = {
  readonly unit: 'Count' | 'Milliseconds' | 'None';
  /** One set of series for each; a metric that has none is one series. */
  readonly dimensions: readonly Dimension[];
};

/** Successful changes that are counted by kind: an endpoint's row names its own as `countedAs`. */
const changeMetrics = {
  KeysIssued: { unit: 'Count', dimensions: [] },
  KeysDeleted: { unit: 'Count', dimensions: [] },
} as const satisfies Record<string, Metric>;

export type ChangeMetric = keyof typeof changeMetrics;

/** What the service counts and measures of itself, beyond what AWS does: the numbers stand in its events by these names. */
export const metrics = {
  /** One per request that its function did not serve; those that were served are what API Gateway counts besides. */
  Requests: { unit: 'Count', dimensions: ['decision', 'reason', 'ratePolicy'] },
  /** Served requests of the company that calls only to watch. */
  CanaryServed: { unit: 'Count', dimensions: [] },
  /** Time from the start of a function's process until it can serve. */
  InitMs: { unit: 'Milliseconds', dimensions: [] },
  /** Changes whose transaction failed; the audit row is part of it. */
  AuditWriteFailures: { unit: 'Count', dimensions: [] },
  /** Readers who were sent on behind a hole in their feed. */
  LostFeedPages: { unit: 'Count', dimensions: [] },
  ...changeMetrics,
  /** Valid keys that run out within the longest notice, as of the daily watch. */
  KeysExpiring: { unit: 'Count', dimensions: [] },
  /** Until the company that is nearest to it is left without a valid key; 0 if one already is. */
  DaysToLastKeyExpiry: { unit: 'None', dimensions: [] },
  /** Attempts that DynamoDB has throttled, be it that a later one was made good. */
  StoreThrottles: { unit: 'Count', dimensions: [] },
  /** KMS keys that are disabled or pending deletion, measured hourly. */
  MacKeysUnusable: { unit: 'None', dimensions: [] },
  /** Portal events that withdraw rights and became dead letters, counted each time one is refused. */
  WithdrawalsRefused: { unit: 'Count', dimensions: [] },
  /** How long the poke that is due longest has been due, as of the sweeper's run; 0 if none is. */
  OldestPokeMs: { unit: 'Milliseconds', dimensions: [] },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;

/** The fields that tell the series of a metric apart; `never` for a metric that is one series. */
export type DimensionOf<Name extends MetricName> = (typeof metrics)[Name]['dimensions'][number];
