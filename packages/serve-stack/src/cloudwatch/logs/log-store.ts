import { UserFacingError } from '../../errors/user-facing-error.ts';
import type { TimeRange } from '../metrics/time-series.ts';

/**
 * A log event with its fields as CloudWatch finds them: `{ a: { b: [1] } }` → `a.b.0`, none in what is no JSON object;
 * besides, `@timestamp`, `@message`, `@log`, and `@logStream` if it is known.
 */
export type LogEvent = {
  readonly logGroup: string;
  readonly atMs: number;
  readonly fields: ReadonlyMap<string, LogField>;
};

export type LogField = string | number | boolean | Date;

export type LogStore = ReturnType<typeof createLogStore>;

/** Keeps log events by group. */
export const createLogStore = () => {
  const eventsByGroup = new Map<string, LogEvent[]>();
  return {
    put: (event: LogEvent): void => {
      const events = eventsByGroup.get(event.logGroup);
      if (events) events.push(event);
      else eventsByGroup.set(event.logGroup, [event]);
    },

    /** The events of some groups from `fromMs` up to `toMs`, newest first. */
    events: (logGroups: readonly string[], { fromMs, toMs }: TimeRange): LogEvent[] =>
      [...new Set(logGroups)]
        .flatMap((logGroup) => eventsByGroup.get(logGroup) ?? [])
        .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
        .sort((a, b) => b.atMs - a.atMs),
  };
};

/** The object that a message is in JSON; `undefined` for any other text, such as the lines that Lambda writes itself. */
export const objectIn = (message: string): Readonly<Record<string, unknown>> | undefined => {
  if (!message.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
};

/** CloudWatch finds 200 fields at most in an event, and is silent of the others. */
const maxFields = 200;

/** Holds what was written to a log group of an account. */
export type WrittenEvent = {
  readonly accountId: string;
  readonly logGroup: string;
  readonly atMs: number;
  readonly message: string;
  /** Who has written it; of a function, this names its version. */
  readonly logStream?: string | undefined;
};

/** Makes the event of a message that is `object` in JSON, or nothing of the kind. */
export const logEventOf = (
  { accountId, logGroup, atMs, message, logStream }: WrittenEvent,
  object: Readonly<Record<string, unknown>> = {},
): LogEvent => {
  const fields = new Map<string, LogField>();
  const add = (name: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) add(name === '' ? key : `${name}.${key}`, item);
    else if (value !== null) fields.set(name, value as LogField);
  };
  add('', object);
  if (fields.size > maxFields)
    throw new UserFacingError(`An event has ${fields.size} fields; CloudWatch finds ${maxFields} of them.`);
  fields.set('@timestamp', new Date(atMs)).set('@message', message).set('@log', `${accountId}:${logGroup}`);
  if (logStream !== undefined) fields.set('@logStream', logStream);
  return { logGroup, atMs, fields };
};
