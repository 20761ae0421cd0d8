import { UserFacingError } from '../errors.ts';
import type { TimeRange } from './metric-store.ts';

/** An event that was written to a log group. */
export type WrittenEvent = {
  readonly logGroup: string;
  readonly atMs: number;
  readonly message: string;
  /** The writer; for a function, the stream's name contains its version. */
  readonly logStream?: string | undefined;
};

/**
 * A log event with the fields that CloudWatch finds: `{ a: { b: [1] } }` → `a.b.0`, and none if the message is no JSON object;
 * also `@timestamp`, `@message`, and `@logStream` if it is known.
 */
export type LogEvent = {
  readonly logGroup: string;
  readonly atMs: number;
  readonly fields: ReadonlyMap<string, LogValue>;
};

export type LogValue = string | number | Date;

export type LogStore = ReturnType<typeof createLogStore>;

export const createLogStore = () => {
  const kept: LogEvent[] = [];
  return {
    put: (event: LogEvent): void => void kept.push(event),

    /** Returns the events of the groups from `fromMs` up to `toMs`, newest first. */
    events: (logGroups: readonly string[], { fromMs, toMs }: TimeRange): LogEvent[] =>
      kept
        .filter(({ logGroup, atMs }) => logGroups.includes(logGroup) && atMs >= fromMs && atMs < toMs)
        .sort((a, b) => b.atMs - a.atMs),
  };
};

/** Returns the JSON object of a message; `undefined` for any other text, such as the lines that Lambda itself writes. */
export const objectIn = (message: string): Readonly<Record<string, unknown>> | undefined => {
  if (!message.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
};

/** CloudWatch finds at most 200 fields in an event, and silently ignores the others. */
const maxFields = 200;

/**
 * Returns the event of a message; `object` is the message's JSON object, if it is one. Throws if it has more fields than
 * CloudWatch finds.
 */
export const logEventOf = (
  { logGroup, atMs, message, logStream }: WrittenEvent,
  object: Readonly<Record<string, unknown>> = {},
): LogEvent => {
  const fields = new Map<string, LogValue>();
  const add = (name: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) add(name === '' ? key : `${name}.${key}`, item);
    // CloudWatch reads a boolean as 1 or 0.
    else if (value !== null) fields.set(name, typeof value === 'string' ? value : Number(value));
  };
  add('', object);
  if (fields.size > maxFields)
    throw new UserFacingError(`An event has ${fields.size} fields; CloudWatch finds ${maxFields} of them.`);
  fields.set('@timestamp', new Date(atMs)).set('@message', message);
  if (logStream !== undefined) fields.set('@logStream', logStream);
  return { logGroup, atMs, fields };
};
