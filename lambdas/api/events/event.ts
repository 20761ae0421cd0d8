import * as z from 'zod/mini';

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
  /** Tells CloudWatch which numbers of the event are metrics (embedded metric format). */
  _aws: z.strictObject({ Timestamp: z.int(), CloudWatchMetrics: z.array(z.unknown()) }),
};

/** An event as it is handed to the log, which adds the time and the metrics. */
export type EventContent<Event extends { timestamp: unknown; _aws: unknown }> = Omit<Event, 'timestamp' | '_aws'>;

/** The names of fields, each under itself: a query that takes its names from here does not compile with a wrong one. */
export const namesOf = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, name])) as { readonly [Name in keyof Fields]: Name };
