import { type ProblemCode, problems } from './problems.ts';

/** How a request ended: served, refused as designed, rate-limited, or failed because of a fault of ours. */
export const decisions = ['allowed', 'refused', 'limited', 'failed'] as const;
export type Decision = (typeof decisions)[number];

/** The decisions that `Requests` counts. */
export const unservedDecisions = decisions.filter((decision) => decision !== 'allowed');

export const decisionOf = (problem: ProblemCode | undefined): Decision => {
  if (problem === undefined) return 'allowed';
  const { status } = problems[problem];
  if (status >= 500) return 'failed';
  return status === 429 ? 'limited' : 'refused';
};

/**
 * The fields of a request's log event that can be dimensions of a metric. Each has few values, known in advance. The ids of
 * companies, keys, users and gateways are fields too, but never dimensions: every value would be billed as a metric of its
 * own.
 */
export type Dimension = 'decision' | 'reason' | 'ratePolicy';

/** The number of metric series, each of which is billed. CONTRIBUTING.md says what to do if a test counts another number. */
export const maxMetricSeries = 52;

export type Metric = {
  readonly unit: 'Count' | 'Milliseconds' | 'None';
  /** Each dimension has its own series; a metric without dimensions is one series. */
  readonly dimensions: readonly Dimension[];
};

/** Successful changes that are counted by kind: an endpoint's row names its own as `countedAs`. */
const changeMetrics = {
  KeysIssued: { unit: 'Count', dimensions: [] },
  KeysDeleted: { unit: 'Count', dimensions: [] },
} as const satisfies Record<string, Metric>;

export type ChangeMetric = keyof typeof changeMetrics;

/** The metrics that the service adds to those of AWS. Each is a field with this name in the service's log events. */
export const metrics = {
  /** Requests that their function did not serve. Served requests are API Gateway's count minus these. */
  Requests: { unit: 'Count', dimensions: ['decision', 'reason', 'ratePolicy'] },
  /** Served requests of the canary company, which calls only to monitor. */
  CanaryServed: { unit: 'Count', dimensions: [] },
  /** Time from the start of a function's process until it can serve. */
  InitMs: { unit: 'Milliseconds', dimensions: [] },
  /** Changes whose transaction failed, of which the audit row is a part, and failed runs that drop expired changes. */
  AuditWriteFailures: { unit: 'Count', dimensions: [] },
  /** Readers that were sent past lost events in their feed. */
  LostFeedPages: { unit: 'Count', dimensions: [] },
  ...changeMetrics,
  /** Valid keys that expire within the longest notice, measured by the daily watch. */
  KeysExpiring: { unit: 'Count', dimensions: [] },
  /** Days until the first company has no valid key left; 0 if a company already has no valid key. */
  DaysToLastKeyExpiry: { unit: 'None', dimensions: [] },
  /** Attempts that DynamoDB has throttled, including those whose retry succeeded. */
  StoreThrottles: { unit: 'Count', dimensions: [] },
  /** KMS keys that are disabled or pending deletion, measured hourly. */
  MacKeysUnusable: { unit: 'None', dimensions: [] },
  /** Portal events that withdraw rights and became dead letters, counted each time one is refused. */
  WithdrawalsRefused: { unit: 'Count', dimensions: [] },
  /** How long the most overdue webhook message has been due, measured by the sweeper; 0 if no webhook message is due. */
  OldestWebhookMessageMs: { unit: 'Milliseconds', dimensions: [] },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;

/** The dimensions of a metric; `never` for a metric without dimensions. */
export type DimensionOf<Name extends MetricName> = (typeof metrics)[Name]['dimensions'][number];
