import { UserFacingError } from '../errors.ts';
import type { TimeRange } from './metric-store.ts';

/** Holds what was written to a log group. */
export type WrittenEvent = {
  readonly logGroup: string;
  readonly atMs: number;
  readonly message: string;
  /** Who has written it; of a function, this names its version. */
  readonly logStream?: string | undefined;
};

/**
 * A log event with its fields as CloudWatch finds them: `{ a: { b: [1] } }` → `a.b.0`, none in what is no JSON object;
 * besides, `@timestamp`, `@message`, and `@logStream` if it is known.
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

    /** The events of some groups from `fromMs` up to `toMs`, newest first. */
    events: (logGroups: readonly string[], { fromMs, toMs }: TimeRange): LogEvent[] =>
      kept
        .filter(({ logGroup, atMs }) => logGroups.includes(logGroup) && atMs >= fromMs && atMs < toMs)
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

/** Makes the event of a message that is `object` in JSON, or nothing of the kind. */
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
