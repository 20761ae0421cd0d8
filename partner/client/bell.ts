import { type Wait, wait as waitOnTimer } from './waiting.ts';

/** Joins what receives pokes with what follows the feed, in one process. */
export type Bell = {
  /** Call it for each poke `events.available`. */
  readonly ring: () => void;
  /** Resolves when the bell rings, at once if it has rung since the last time, and at the latest when the time is over. */
  readonly rung: (signal?: AbortSignal) => Promise<void>;
};

export type BellOptions = {
  /** Pokes can be lost, so that the feed is asked without one, too: after a quarter of an hour if absent. */
  readonly atLeastEverySeconds?: number;
  readonly wait?: Wait;
};

export const createBell = ({ atLeastEverySeconds = 900, wait = waitOnTimer }: BellOptions = {}): Bell => {
  let hasRung = false;
  let wake = () => {};
  return {
    ring: () => {
      hasRung = true;
      wake();
    },
    rung: async (signal) => {
      signal?.throwIfAborted();
      const ringing = new AbortController();
      wake = () => ringing.abort();
      const ended = signal ? AbortSignal.any([signal, ringing.signal]) : ringing.signal;
      if (!hasRung)
        await wait(atLeastEverySeconds, ended).catch((error: unknown) => {
          if (!ringing.signal.aborted) throw error;
        });
      hasRung = false;
    },
  };
};
