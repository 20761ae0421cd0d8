import type { RunClock } from './run-clock.ts';

/** Sends requests while the run lasts. Resolves when all of them are answered. */
export type Traffic = (clock: RunClock) => Promise<void>;

/** Keeps all partners together far below the concurrency alarm, however slow this machine is. */
const mostUnderWay = 6;

/**
 * Acts in the middle of each interval without waiting for earlier acts, as independent partners would. If too many acts are
 * running, the machine is behind, and the run clock stops until one ends.
 */
export const steady =
  (everyMs: number, act: (turn: number) => Promise<unknown>, fromFraction = 0): Traffic =>
  async (clock) => {
    const firstMs = clock.lengthMs * fromFraction + everyMs / 2;
    const acts: Promise<unknown>[] = [];
    const underWay = new Set<Promise<unknown>>();
    for (let turn = 0; firstMs + turn * everyMs < clock.lengthMs; turn++) {
      if (!(await clock.until(firstMs + turn * everyMs))) break;
      if (underWay.size >= mostUnderWay) await clock.standStillFor(Promise.race(underWay));
      const acting = act(turn);
      acts.push(acting);
      // `Promise.all` below rethrows failures; this `catch` only prevents an unhandled rejection until then.
      const ended: Promise<unknown> = acting.catch(() => undefined).finally(() => underWay.delete(ended));
      underWay.add(ended);
    }
    await Promise.all(acts);
  };

/** Keeps `width` acts running at once. */
export const surge =
  (width: number, act: (turn: number) => Promise<unknown>, fromFraction = 0): Traffic =>
  async (clock) => {
    await clock.until(clock.lengthMs * fromFraction);
    let turn = 0;
    const worker = async () => {
      while (!clock.isOver()) await act(turn++);
    };
    await Promise.all(Array.from({ length: width }, worker));
  };
