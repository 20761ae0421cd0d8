import { setTimeout as wait } from 'node:timers/promises';

/** The time from which a run's traffic begins to that at which it ends, in real time. */
export type Span = { readonly startMs: number; readonly endMs: number };

/** Sends its requests within the span and resolves when all of them are answered. */
export type Traffic = (span: Span) => Promise<void>;

/** Tells the time at which this part of the span is over. */
export const timeAt = ({ startMs, endMs }: Span, fraction: number): number => startMs + (endMs - startMs) * fraction;

export const cycle = <T>(items: readonly T[], turn: number): T => items[turn % items.length] as T;

/** Acts in the middle of each interval, however long each act takes: partners do not wait for one another. */
export const steady =
  (everyMs: number, act: (turn: number) => Promise<unknown>, fromFraction = 0): Traffic =>
  async (span) => {
    const firstMs = timeAt(span, fromFraction) + everyMs / 2;
    const acts: Promise<unknown>[] = [];
    for (let turn = 0; firstMs + turn * everyMs < span.endMs; turn++) {
      await wait(Math.max(0, firstMs + turn * everyMs - Date.now()));
      acts.push(act(turn));
      // What fails is thrown when all is awaited; until then nobody listens.
      acts.at(-1)?.catch(() => undefined);
    }
    await Promise.all(acts);
  };

/** Keeps so many acts under way at once. */
export const surge =
  (width: number, act: (turn: number) => Promise<unknown>, fromFraction = 0): Traffic =>
  async (span) => {
    await wait(Math.max(0, timeAt(span, fromFraction) - Date.now()));
    let turn = 0;
    const worker = async () => {
      while (Date.now() < span.endMs) await act(turn++);
    };
    await Promise.all(Array.from({ length: width }, worker));
  };
