import * as z from 'zod';
import { accessFieldNames, type RequestEvent, requestFields } from '../../lambdas/api/log-events/request-event.ts';
import { problems } from '../../lambdas/api/problems.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { timeInLog } from '../../lambdas/runtime/log-queries.ts';

/** Another version may have written a line: what is absent or has another type is null. */
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().catch(null);
const text = orNull(z.string());
const number = orNull(z.int());

/** What the line of a function says, by the names in the line. */
const line = {
  timestamp: z.iso.datetime(),
  operation: z.string(),
  decision: text,
  /** The code of the problem. */
  reason: text,
  status: number,
  companyId: text,
  keyId: text,
  keyAccess: text,
  keyLabel: text,
  userId: text,
  /** The gateway of a request that was not served. */
  gatewayId: text,
  path: text,
  ratePolicy: text,
  durationMs: number,
  /** Only for the first request of a process. */
  InitMs: number,
  /** The durations of store commands, only for a request that was slow or failed. */
  storeMs: orNull(z.record(z.string(), z.array(z.int()))),
  error: text,
  stack: text,
} satisfies { readonly [Name in keyof RequestEvent]?: z.ZodType };

export const served = z.strictObject({
  ...line,
  /** The title and the detail of the problem in general; the answer may have had a detail of its own. */
  problem: z.strictObject({ title: z.string(), detail: z.string() }).nullable(),
});

/** The line of API Gateway. `path` is a pattern, and `errorType` says why no function answered. */
export const access = z.strictObject({
  timestamp: z.iso.datetime(),
  sourceIp: text,
  method: text,
  path: text,
  status: text,
  errorType: text,
  responseLatencyMs: text,
});

/** The query for the line of a function, of which `servedIn` parses the message. */
export const lineQuery = (requestId: string): string =>
  `fields @message\n| filter ${requestFields.requestId} = "${requestId}"\n| limit 10`;

/** The query for the line of API Gateway, which `accessIn` parses. */
export const accessQuery = (requestId: string): string =>
  `fields @timestamp, ${accessFieldNames.join(', ')}\n| filter requestId = "${requestId}"\n| limit 1`;

/** Parses the line of a function; undefined if it is none. */
export const servedIn = (message = ''): z.output<typeof served> | undefined => {
  const { data } = z.object(line).safeParse(jsonIn(message));
  if (data === undefined) return undefined;
  const known: Readonly<Record<string, { readonly title: string; readonly detail: string }>> = problems;
  const { title, detail } = known[data.reason ?? ''] ?? {};
  return { ...data, problem: title !== undefined && detail !== undefined ? { title, detail } : null };
};

const jsonIn = (message: string): unknown => {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
};

/** Parses the line of API Gateway, which has `-` for what a request does not have. */
export const accessIn = ({ '@timestamp': time, requestId: _, ...row }: Readonly<Record<string, string>>) =>
  z.object(access.shape).parse({
    timestamp: toTimestamp(timeInLog(time)),
    ...Object.fromEntries(Object.entries(row).filter(([, value]) => value !== '-')),
  });
