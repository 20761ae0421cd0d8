import * as z from 'zod/mini';
import { operationIds } from '../endpoints/endpoints.ts';
import { type RatePolicyName, ratePolicies } from '../limits.ts';
import { type ChangeMetric, type Dimension, decisions, type MetricName } from '../metrics.ts';
import { type ProblemCode, problems } from '../problems.ts';
import { keyAccesses, keyLabel } from '../schemas/api-key.ts';
import { idPattern } from '../schemas/common.ts';

/** Fields of every log event. A function writes each event to its log group as one line of JSON. */
export const commonFields = {
  /**
   * When the event happened; for a request, when it reached API Gateway. Lambda recognizes a line's level only if the line
   * has an RFC 3339 time with this name; a filter by level would drop all other lines.
   */
  timestamp: z.iso.datetime(),
  /** ERROR means that the fault is ours. */
  level: z.enum(['INFO', 'ERROR']),
  /** The fault, if it is ours: name and message. */
  error: z.optional(z.string()),
  /** The positions in the bundle that the fault passed through; `trace resolve` maps them to source lines. */
  stack: z.optional(z.string()),
  /** How many attempts DynamoDB has throttled since the previous line of the same process; absent for zero. */
  StoreThrottles: z.optional(z.int()),
  /** Declares to CloudWatch which numbers of the event are metrics (embedded metric format); absent without metrics. */
  _aws: z.optional(z.strictObject({ Timestamp: z.int(), CloudWatchMetrics: z.array(z.unknown()) })),
};

/** An event as it is passed to `writeEvent`, which adds the time and the metrics. */
export type EventContent<Event extends { timestamp: unknown; _aws?: unknown }> = Omit<Event, 'timestamp' | '_aws'>;

/** Returns the names of fields, each as its own value: a query with a name from here cannot compile with a wrong one. */
export const namesOf = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, name])) as { readonly [Name in keyof Fields]: Name };

const id = z.string().check(z.regex(idPattern));
const duration = z.int().check(z.nonnegative());
const countOfOne = z.optional(z.literal(1));

/** Fields that are dimensions of metrics. */
const dimensions = {
  decision: z.enum(decisions),
  /** The code of the problem that was answered. */
  reason: z.optional(z.enum(Object.keys(problems) as ProblemCode[])),
  /**
   * The rate policy that limited the request. A limited request without a policy came from an address that had sent too
   * many invalid keys: that limit belongs to no company, and a separate value would be billed as a metric.
   */
  ratePolicy: z.optional(z.enum(Object.keys(ratePolicies) as RatePolicyName[])),
} satisfies Record<Dimension, z.ZodMiniType>;

/** Numbers that are metrics. */
const numbers = {
  /** 1 for a request that was not served; API Gateway counts all requests. */
  Requests: countOfOne,
  /** How long the process took until it could serve; only on its first request, a cold start. */
  InitMs: z.optional(duration),
  /** 0 or 1 for a request that tried to change something. */
  AuditWriteFailures: z.optional(z.literal([0, 1])),
  /** 0 or 1 for a request for the feed: 1 if the reader was sent past lost events. */
  LostFeedPages: z.optional(z.literal([0, 1])),
  /** 1 for a served request of the canary company. */
  CanaryServed: countOfOne,
  KeysIssued: countOfOne,
  KeysDeleted: countOfOne,
} satisfies Partial<Record<MetricName, z.ZodMiniType>> & Record<ChangeMetric, z.ZodMiniType>;

/**
 * The log event of a request: all fields that its line may have, since anything else could be a secret. Saved queries,
 * insight rules, dashboards and the operator's program take the field names from here. Functions write the event unchecked;
 * the tests check every line that they see.
 */
export const requestEvent = z.strictObject({
  ...commonFields,
  /** API Gateway's extended id of the request, which partners see as `x-request-id`. */
  requestId: z.string().check(z.maxLength(64)),
  operation: z.enum(operationIds),
  ...dimensions,
  /** The HTTP status; absent if no answer was possible. */
  status: z.optional(z.int()),
  /** The company that the key belongs to; absent if the request did not authenticate. */
  companyId: z.optional(id),
  /** The id of the key that was used; the key itself is in no event. */
  keyId: z.optional(id),
  /** The access and the label of the key; each is absent at its default, full access and no label. */
  keyAccess: z.optional(z.enum(keyAccesses)),
  keyLabel: z.optional(keyLabel()),
  /** The owner on whose behalf the company acts. */
  userId: z.optional(id),
  /** The gateway of a request that was not served: `path` does not name a gateway that the company may not see. */
  gatewayId: z.optional(id),
  /** The path with its ids, as the rate limit counts it. */
  path: z.optional(z.string()),
  /** Time from the start of the function's work until the answer is ready. */
  durationMs: duration,
  /**
   * How long each store command took, by the command's name and in order: `{ BatchGetItem: [3], PutItem: [2, 4] }`. Only
   * for a request that was slow or failed.
   */
  storeMs: z.optional(z.record(z.string().check(z.regex(/^[A-Z]\w+$/)), z.array(duration))),
  /** The resident memory of the process, to compare with the function's limit: in its first event, then once a minute. */
  memoryMb: z.optional(z.int().check(z.positive())),
  /** 1 for a retry of a creation that returned the first request's key again; such a request does not count as `KeysIssued`. */
  keysShownAgain: countOfOne,
  ...numbers,
});

export type RequestEvent = z.output<typeof requestEvent>;

export const requestFields = namesOf(requestEvent.shape);

/** The fields of a line of API Gateway's access log, which has the same `requestId` as the line of the function. */
export const accessFieldNames = [
  'requestId',
  'sourceIp',
  'method',
  'path',
  'status',
  'errorType',
  'responseLatencyMs',
] as const;
