import { setTimeout } from 'node:timers/promises';
import { StoreUnavailableError } from './store-errors.ts';

/** What is tried, and how often at most. */
export type Attempts = { readonly to: string; readonly atMost: number };

/**
 * Makes attempts until one gives a result; one that gives none has met somebody else who changes the same. Throws
 * StoreUnavailableError if all have.
 */
export const retrying = <Result>(attempts: Attempts, attempt: () => Promise<Result | undefined>): Promise<Result> =>
  retryingFrom(undefined, attempts, async () => (await attempt()) ?? again(undefined));

/** The same for attempts that go by what is known, which is what the one before has seen. */
export const retryingFrom = async <Known, Result>(
  first: Known,
  { to, atMost }: Attempts,
  attempt: (known: Known, count: number) => Promise<Result | Again<Known>>,
): Promise<Result> => {
  let known = first;
  for (let count = 0; count < atMost; count++) {
    const result = await attempt(known, count);
    if (!(result instanceof Again)) return result;
    known = result.seen;
  }
  throw new StoreUnavailableError(`All of ${atMost} attempts to ${to} have met somebody else's.`);
};

/** The result of an attempt that was overtaken, and has seen this. */
export const again = <Seen>(seen: Seen): Again<Seen> => new Again(seen);

class Again<Seen> {
  readonly seen: Seen;

  constructor(seen: Seen) {
    this.seen = seen;
  }
}

const firstCeilingMs = 25;
const lastCeilingMs = 400;

/** Waits with full jitter: anything up to a ceiling that doubles with each attempt. */
export const backOff = (attempt: number): Promise<void> =>
  setTimeout(Math.random() * Math.min(lastCeilingMs, firstCeilingMs * 2 ** attempt));
