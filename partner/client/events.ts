import { eventTypes } from './generated/event-types.ts';
import type { components } from './generated/types.ts';
import type { Answer, Refusal, Success } from './operation-types.ts';
import { type Wait, wait as waitOnTimer } from './responses.ts';

/** Keeps the cursor of a feed, for example in a file or in a row of a database. */
export type CursorStore = {
  /** Resolves to undefined if no cursor was kept yet. */
  readonly read: () => Promise<string | undefined>;
  /** Resolves when a crash would not lose the cursor. */
  readonly keep: (cursor: string) => Promise<void>;
};

/**
 * Why the state has to be read: no cursor was kept; events were missed; some were not shown; or the company may see
 * another part of the state than before.
 */
export type StateUnknown = 'begin' | 'cursor-expired' | 'withheld' | 'access-changed';

export type EventsOptions = {
  readonly cursors: CursorStore;
  /**
   * Reads the state of all that the caller mirrors, because events alone do not tell it. The next event comes, and the
   * cursor is kept, when this resolves; if it rejects, so does the iteration, and the next one begins with it.
   */
  readonly readState: (because: StateUnknown) => Promise<void>;
  /**
   * Waits until it is time to ask again, where nothing follows; if absent, that is as many seconds as the service advises.
   * With a webhook it is `fired` of a trigger that each message fires.
   */
  readonly untilNext?: (signal?: AbortSignal) => Promise<void>;
  /** Ends the iteration, waits included; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The number of events that may come again after a crash: 1 to 100, 50 if absent. */
  readonly pageSize?: number;
};

type FeedRequest = {
  readonly query: { readonly after: string; readonly limit?: number };
  readonly signal?: AbortSignal;
};

/** What the iteration needs of a client. */
export type FeedReader = {
  readonly listEvents: (request: FeedRequest) => Promise<Answer<'listEvents'>>;
  readonly wait: Wait;
};

/** What the company may see changes with these, and events from before are not shown. */
const accessTypes: readonly FeedEvent['type'][] = [
  'contract.changed',
  'consent.changed',
  'gateway.added',
] satisfies EventType[];

/**
 * The events of the feed in their order, without an end, from where the kept cursor stands. The cursor is kept when the
 * caller has taken all events of a page. Throws EventsError.
 */
export async function* eventsOf(
  { listEvents, wait }: FeedReader,
  { cursors, readState, untilNext, signal, pageSize: limit }: EventsOptions,
): AsyncGenerator<FeedEvent, never, void> {
  const read = (after: string) =>
    listEvents({ query: { after, ...(limit !== undefined && { limit }) }, ...(signal && { signal }) });
  const readAnew = async (because: StateUnknown, next: string) => {
    await readState(because);
    await cursors.keep(next);
    return next;
  };

  let cursor = await cursors.read();
  // The cursor first: what happens while the state is read comes as an event, too.
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
    // A page may end before an event that is not to be seen yet: then it takes a moment.
    else if (!body.hasMore || !hasMoved) await wait(pollSecondsIn(headers['x-poll-interval']), signal);
  }
}

const stateUnknownAfter = (events: readonly FeedEvent[], withheld: number): StateUnknown | undefined => {
  if (withheld > 0) return 'withheld';
  return events.some(({ type }) => accessTypes.includes(type)) ? 'access-changed' : undefined;
};

const pollSecondsIn = (field: string | undefined): number => (/^[1-9]\d*$/.test(field ?? '') ? Number(field) : 5);

/** The feed was refused or got no answer, within the patience of the client. The kept cursor stands: iterate again. */
export class EventsError extends Error {
  override readonly name = 'EventsError';
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

/** The types that this version of the client knows. */
export { eventTypes };

export type EventType = (typeof eventTypes)[number];

/** An event of the feed; `type` says what its `data` holds. */
export type FeedEvent = Schemas['KnownFeedEvent'] | UnknownEvent;

/** An event of a type that is newer than the client. It may be ignored. */
export type UnknownEvent = Omit<Schemas['FeedEvent'], 'type'> & {
  readonly type: 'unknown-event';
  readonly newType: string;
};

/** An event as it came, typed. Its `data` is not checked. */
const typedEvent = ({ type, ...event }: Schemas['FeedEvent']): FeedEvent => {
  const isKnown = eventTypes.some((known) => known === type);
  return (isKnown ? { ...event, type } : { ...event, type: 'unknown-event', newType: type }) as FeedEvent;
};

/** Joins what receives webhook messages with what follows the feed, in one process. */
export type Trigger = {
  /** Call it for each message `events.available`. */
  readonly fire: () => void;
  /** Resolves when the trigger fires, at once if it has fired since the last time, and at the latest when the time is over. */
  readonly fired: (signal?: AbortSignal) => Promise<void>;
};

export type TriggerOptions = {
  /** Messages can be lost, so that the feed is asked without one, too: after a quarter of an hour if absent. */
  readonly atLeastEverySeconds?: number;
  readonly wait?: Wait;
};

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
