import type { RunClock } from '../run-clock.ts';

/** Sends its requests while the run lasts and resolves when all of them are answered. */
export type Traffic = (clock: RunClock) => Promise<void>;

export const cycle = <T>(items: readonly T[], turn: number): T => items[turn % items.length] as T;

/** All partners together stay far below the concurrency that rings, however slowly this machine answers. */
const mostUnderWay = 6;

/**
 * Acts in the middle of each interval: partners do not wait for one another. If too many acts are under way, the machine is
 * behind, and the run stands still.
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
      // What fails is thrown when all is awaited; until then nobody listens.
      const ended: Promise<unknown> = acting.catch(() => undefined).finally(() => underWay.delete(ended));
      underWay.add(ended);
    }
    await Promise.all(acts);
  };

/** Keeps so many acts under way at once. */
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
