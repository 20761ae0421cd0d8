import * as z from 'zod/mini';
import { operationIds } from '../endpoints/endpoints.ts';
import { type RatePolicyName, ratePolicies } from '../limits.ts';
import { type ChangeMetric, type Dimension, decisions, type MetricName } from '../metrics.ts';
import { type ProblemCode, problems } from '../problems.ts';
import { keyAccesses, keyLabel } from '../schemas/api-key.ts';
import { idPattern } from '../schemas/common.ts';

/** What every event holds: one line of JSON that a function writes to its log group. */
export const commonFields = {
  /**
   * When it happened: of a request, when it reached API Gateway. Lambda knows a line's level only if it has a time by this
   * name (RFC 3339); a filter by level would drop all others.
   */
  timestamp: z.iso.datetime(),
  /** ERROR says that the fault is ours. */
  level: z.enum(['INFO', 'ERROR']),
  /** The fault, if it is ours: name and message. */
  error: z.optional(z.string()),
  /** The places in the bundle that the fault came through; `trace resolve` finds the lines of the source. */
  stack: z.optional(z.string()),
  /** How many attempts DynamoDB has throttled since the line before of the same process; absent if none. */
  StoreThrottles: z.optional(z.int()),
  /** Tells CloudWatch which numbers of the event are metrics (embedded metric format); absent where none is. */
  _aws: z.optional(z.strictObject({ Timestamp: z.int(), CloudWatchMetrics: z.array(z.unknown()) })),
};

/** An event as it is handed to the log, which adds the time and the metrics. */
export type EventContent<Event extends { timestamp: unknown; _aws?: unknown }> = Omit<Event, 'timestamp' | '_aws'>;

/** The names of fields, each under itself: a query that takes its names from here does not compile with a wrong one. */
export const namesOf = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, name])) as { readonly [Name in keyof Fields]: Name };

const id = z.string().check(z.regex(idPattern));
const duration = z.int().check(z.nonnegative());
const countOfOne = z.optional(z.literal(1));

/** Fields that tell one series of a metric from another. */
const dimensions = {
  decision: z.enum(decisions),
  /** The code of the problem that was answered. */
  reason: z.optional(z.enum(Object.keys(problems) as ProblemCode[])),
  /**
   * The rate policy that told the company to wait. A limited request without one came from an address that had sent too
   * many invalid keys: that bound belongs to no company, and a value of its own would be paid for as a metric.
   */
  ratePolicy: z.optional(z.enum(Object.keys(ratePolicies) as RatePolicyName[])),
} satisfies Record<Dimension, z.ZodMiniType>;

/** Numbers that are metrics. */
const numbers = {
  /** Of a request that was not served; API Gateway counts them all. */
  Requests: countOfOne,
  /** How long the process took until it could serve; only its first request, a cold start, has it. */
  InitMs: z.optional(duration),
  /** 0 or 1 of a request that tried to change something. */
  AuditWriteFailures: z.optional(z.literal([0, 1])),
  /** 0 or 1 of a request for the feed: 1 if its reader was sent on behind a hole. */
  LostFeedPages: z.optional(z.literal([0, 1])),
  /** A request of the company that calls only to watch was served. */
  CanaryServed: countOfOne,
  KeysIssued: countOfOne,
  KeysDeleted: countOfOne,
} satisfies Partial<Record<MetricName, z.ZodMiniType>> & Record<ChangeMetric, z.ZodMiniType>;

/**
 * The event of a request: all that its line may hold, since anything else could be a secret. Saved queries, insight
 * rules, dashboards and the operator's program take the names of fields from here. Functions write it unchecked, and the
 * tests check every line that they see.
 */
export const requestEvent = z.strictObject({
  ...commonFields,
  /** API Gateway's extended id of the request, which partners see as `x-request-id`. */
  requestId: z.string().check(z.maxLength(64)),
  operation: z.enum(operationIds),
  ...dimensions,
  /** The HTTP status; absent if nothing could be answered. */
  status: z.optional(z.int()),
  /** The company that the key belongs to; absent if the request did not authenticate. */
  companyId: z.optional(id),
  /** The key that was used, by its id: the key itself is in no event. */
  keyId: z.optional(id),
  /** What the key may do, and what its company calls it: absent of a usual key, which may do all and has no name. */
  keyAccess: z.optional(z.enum(keyAccesses)),
  keyLabel: z.optional(keyLabel()),
  /** The owner on whose behalf the company acts. */
  userId: z.optional(id),
  /** Of a request that was not served: a gateway that the company may not see has no place in the path. */
  gatewayId: z.optional(id),
  /** The path with its ids, as the rate limit counts it. */
  path: z.optional(z.string()),
  /** Time from the start of the function's work until the answer is ready. */
  durationMs: duration,
  /**
   * How long each store command took, by the command's name and in order: `{ BatchGetItem: [3], UpdateItem: [2, 4] }`. Only of a
   * request that was slow or failed.
   */
  storeMs: z.optional(z.record(z.string().check(z.regex(/^[A-Z]\w+$/)), z.array(duration))),
  /** What the process held in memory when it had answered, of what its function may. */
  memoryMb: z.int().check(z.positive()),
  /** A repeat of a creation was shown the key that the first request created; such a request counts as no `KeysIssued`. */
  keysShownAgain: countOfOne,
  ...numbers,
});

export type RequestEvent = z.output<typeof requestEvent>;

export const requestFields = namesOf(requestEvent.shape);
