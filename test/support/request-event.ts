import { expect } from 'vitest';
import * as z from 'zod/mini';
import { endpoints, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { decisionOf, decisions, type Metric, metrics } from '../../lambdas/api/metrics.ts';
import { type ProblemCode, problems } from '../../lambdas/api/problems.ts';
import { type RatePolicyName, ratePolicies } from '../../lambdas/api/rate-policies.ts';
import { idPattern } from '../../lambdas/api/schemas/common.ts';
import { maxEventBytes } from '../../lambdas/data/event-log.ts';

const duration = z.int().check(z.nonnegative());
const id = z.string().check(z.regex(idPattern));
const oneIfAny = z.optional(z.literal(1));

/** All that the event of a request may hold; anything else could be a secret. */
const requestEvent = z.strictObject({
  at: z.iso.datetime(),
  level: z.enum(['INFO', 'ERROR']),
  requestId: z.string().check(z.maxLength(64)),
  operation: z.enum(operationIds),
  decision: z.enum(decisions),
  reason: z.optional(z.enum(Object.keys(problems) as ProblemCode[])),
  ratePolicy: z.optional(z.enum(Object.keys(ratePolicies) as RatePolicyName[])),
  status: z.int(),
  companyId: z.optional(id),
  keyId: z.optional(id),
  userId: z.optional(id),
  gatewayId: z.optional(id),
  path: z.optional(z.string()),
  durationMs: duration,
  storeMs: z.record(z.string().check(z.regex(/^[A-Z]\w+$/)), z.array(duration)),
  coldStart: z.boolean(),
  error: z.optional(z.string()),
  Requests: z.literal(1),
  InitMs: z.optional(duration),
  AuditWriteFailures: z.optional(z.literal([0, 1])),
  KeysIssued: oneIfAny,
  KeysDeleted: oneIfAny,
  _aws: z.strictObject({ Timestamp: z.int(), CloudWatchMetrics: z.array(z.unknown()) }),
});

/** Checks a line that a function has written, and returns what it says and the metric series that it feeds. */
export const readRequestEvent = (line: string) => {
  expect(Buffer.byteLength(line)).toBeLessThan(maxEventBytes);
  const { data: event, error } = z.safeParse(requestEvent, JSON.parse(line));
  expect(error?.issues, line).toBeUndefined();
  if (!event) throw new Error('An event without error has data.');
  expect(event.decision).toBe(decisionOf(event.reason));
  expect(event.status).toBe(event.reason ? problems[event.reason].status : endpoints[event.operation].success.status);
  expect(event.coldStart).toBe(event.InitMs !== undefined);
  return { event, series: seriesOf(event) };
};

/** As CloudWatch takes them from the event: name and the values of its dimensions. Every number has to be there. */
const seriesOf = (event: Readonly<Record<string, unknown>> & { readonly _aws: { CloudWatchMetrics: unknown[] } }) =>
  (event._aws.CloudWatchMetrics as Directive[]).flatMap(({ Dimensions, Metrics }) =>
    Metrics.flatMap(({ Name, Unit }) => {
      const { unit, dimensions }: Metric = metrics[Name];
      expect(Unit).toBe(unit);
      expect(event[Name]).toEqual(expect.any(Number));
      return Dimensions.map((set) => {
        for (const dimension of set) expect(dimensions).toContain(dimension);
        return [Name, ...set.map((dimension) => `${dimension}=${event[dimension]}`)].join(' ');
      });
    }),
  );

type Directive = {
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: keyof typeof metrics; readonly Unit: string }[];
};
