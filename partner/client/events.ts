import { eventTypes } from './generated/event-types.ts';
import type { components } from './generated/types.ts';
import type { Answer, Refusal, Success } from './operation-types.ts';
import { type Wait, wait as waitOnTimer } from './responses.ts';

/** Stores the cursor of the feed, for example in a file or in a database row. */
export type CursorStore = {
  /** Returns the kept cursor; undefined before the first `keep`. */
  readonly read: () => Promise<string | undefined>;
  /** Resolves once the cursor would survive a crash. */
  readonly keep: (cursor: string) => Promise<void>;
};

/**
 * Why the state must be read:
 *
 * - `begin`: no cursor is kept yet.
 * - `cursor-expired`: events were missed.
 * - `withheld`: the page had events that the company may not see.
 * - `access-changed`: a contract, a consent or the gateways have changed. Without access, no events are recorded.
 */
export type StateUnknown = 'begin' | 'cursor-expired' | 'withheld' | 'access-changed';

export type EventsOptions = {
  /** Where the cursor is kept between two runs. */
  readonly cursors: CursorStore;
  /**
   * Reads the current state of everything that you mirror, when events alone do not reveal it. The iteration keeps the cursor
   * and continues when this resolves. If it rejects, the iteration rejects too, and the next iteration calls it again.
   */
  readonly readState: (because: StateUnknown) => Promise<void>;
  /**
   * Waits until the next poll when the feed has no more events. By default, the number of seconds that the service advises.
   * With a webhook, pass `fired` of a Trigger that every message fires.
   */
  readonly untilNext?: (signal?: AbortSignal) => Promise<void>;
  /** Aborts the iteration, including its waits. The iteration rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Events per page, 1 to 100, by default 50. After a crash, at most this many events are delivered again. */
  readonly pageSize?: number;
  /** Continues after an outage, however long it lasts. By default, one that is longer than the client's patience is thrown. */
  readonly forever?: boolean;
};

type FeedRequest = {
  readonly query: { readonly after: string; readonly limit?: number };
  readonly signal?: AbortSignal;
  readonly forever: boolean;
};

/** The parts of a client that the iteration uses. */
export type FeedReader = {
  readonly listEvents: (request: FeedRequest) => Promise<Answer<'listEvents'>>;
  readonly wait: Wait;
};

/** These events change what the company may see. The feed does not show events from before the change. */
const accessTypes: readonly FeedEvent['type'][] = [
  'contract.changed',
  'consent.changed',
  'gateway.added',
] satisfies EventType[];

/**
 * Iterates over the events of the feed in order and without end, from the kept cursor on. The cursor is kept when the caller
 * has consumed all events of a page. Throws EventsError if the service refuses to show the feed or does not answer.
 */
export async function* eventsOf(
  { listEvents, wait }: FeedReader,
  { cursors, readState, untilNext, signal, pageSize: limit, forever = false }: EventsOptions,
): AsyncGenerator<FeedEvent, never, void> {
  const read = (after: string) =>
    listEvents({ query: { after, ...(limit !== undefined && { limit }) }, ...(signal && { signal }), forever });
  const readAnew = async (because: StateUnknown, next: string) => {
    await readState(because);
    await cursors.keep(next);
    return next;
  };

  let cursor = await cursors.read();
  // Reads the cursor before the state, so that changes during `readState` are delivered as events.
  cursor ??= await readAnew('begin', succeeded(await read('latest')).body.nextCursor);
  for (;;) {
    const answer = await read(cursor);
    if (!answer.ok && answer.problem.code === 'cursor-expired') {
      cursor = await readAnew('cursor-expired', answer.problem.oldestCursor);
      continue;
    }
    const { body, headers } = succeeded(answer);
    const events = body.items.map(typedEvent);
    for (const event of events) {
      signal?.throwIfAborted();
      yield event;
    }
    const hasMoved = body.nextCursor !== cursor;
    const because = stateUnknownAfter(events, body.withheld);
    if (because) await readState(because);
    if (hasMoved) await cursors.keep(body.nextCursor);
    cursor = body.nextCursor;
    if (!body.hasMore && untilNext) await untilNext(signal);
    // A page that does not move the cursor ends before an event that is not visible yet: wait before the next read.
    else if (!body.hasMore || !hasMoved) await wait(pollSecondsIn(headers['x-poll-interval']), signal);
  }
}

const stateUnknownAfter = (events: readonly FeedEvent[], withheld: number): StateUnknown | undefined => {
  if (withheld > 0) return 'withheld';
  return events.some(({ type }) => accessTypes.includes(type)) ? 'access-changed' : undefined;
};

const pollSecondsIn = (field: string | undefined): number => (/^[1-9]\d*$/.test(field ?? '') ? Number(field) : 5);

/**
 * The service refused to show the feed, or did not answer within the client's patience. The kept cursor is unchanged: iterate
 * again.
 */
export class EventsError extends Error {
  override readonly name = 'EventsError';
  /** The answer of the failed call. */
  readonly answer: Refusal<'listEvents'>;

  constructor(answer: Refusal<'listEvents'>) {
    const { code, title, detail } = answer.problem;
    super(`Reading the feed: ${title} (${code}). ${detail}`);
    this.answer = answer;
  }
}

const succeeded = (answer: Answer<'listEvents'>): Success<'listEvents'> => {
  if (answer.ok) return answer;
  throw new EventsError(answer);
};

type Schemas = components['schemas'];

/** The event types that this version of the client knows. */
export { eventTypes };

export type EventType = (typeof eventTypes)[number];

/** An event of the feed. `type` determines the type of `data`. */
export type FeedEvent = Schemas['KnownFeedEvent'] | UnknownEvent;

/** An event whose type (`newType`) is newer than this client. You may ignore it. */
export type UnknownEvent = Omit<Schemas['FeedEvent'], 'type'> & {
  readonly type: 'unknown-event';
  readonly newType: string;
};

/** Adds the static type to a received event. Does not validate `data`. */
const typedEvent = ({ type, ...event }: Schemas['FeedEvent']): FeedEvent => {
  const isKnown = eventTypes.some((known) => known === type);
  return (isKnown ? { ...event, type } : { ...event, type: 'unknown-event', newType: type }) as FeedEvent;
};

/** Connects a webhook receiver with the iteration over the feed in the same process. */
export type Trigger = {
  /** Call this for every message `events.available`. */
  readonly fire: () => void;
  /**
   * Pass this as `untilNext`. Resolves when the trigger fires, at once if it has fired since the last call, and at the latest
   * after `atLeastEverySeconds`.
   */
  readonly fired: (signal?: AbortSignal) => Promise<void>;
};

export type TriggerOptions = {
  /** The longest time between two reads of the feed, because messages can be lost. By default 900 seconds. */
  readonly atLeastEverySeconds?: number;
  readonly wait?: Wait;
};

/** Creates a Trigger for `untilNext`, so that a webhook message starts the next read of the feed. */
export const createTrigger = ({ atLeastEverySeconds = 900, wait = waitOnTimer }: TriggerOptions = {}): Trigger => {
  let hasFired = false;
  let wake = () => {};
  return {
    fire: () => {
      hasFired = true;
      wake();
    },
    fired: async (signal) => {
      signal?.throwIfAborted();
      const firing = new AbortController();
      wake = () => firing.abort();
      const ended = signal ? AbortSignal.any([signal, firing.signal]) : firing.signal;
      if (!hasFired)
        await wait(atLeastEverySeconds, ended).catch((error: unknown) => {
          if (!firing.signal.aborted) throw error;
        });
      hasFired = false;
    },
  };
};
