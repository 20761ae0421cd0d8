import { inject, type TestContext, test } from 'vitest';
import { seed } from './random.ts';

type Campaign = 'test' | 'prove' | 'full';

declare module 'vitest' {
  interface ProvidedContext {
    campaign: Campaign;
    /** When the time of the whole run is used up: a campaign begins no further round then. */
    lastRoundAtMs: number;
  }
}

/** Marks a test that `npm run prove` and `npm run prove:full` run in a larger size. */
export const campaign = { tags: ['campaign'] };

/** How far a campaign goes. */
export type Extent = {
  /** The rounds of the sample that `npm test` plays. */
  readonly test: number;
  /** The time in which `npm run prove` plays as many rounds as the machine can, one at least. */
  readonly seconds: number;
  /** All rounds: `npm run prove:full` plays them, and `npm run prove` no more. */
  readonly full: number;
};

/**
 * Plays the rounds of a campaign, `width` of them at a time, and tells how far it came. Each has a seed of its own: what a
 * failed one says sets TEST_SEED, with which it is the first.
 */
export const playRounds = async (
  { annotate }: Pick<TestContext, 'annotate'>,
  { test: sample, seconds, full }: Extent,
  play: (seed: number, index: number) => Promise<unknown>,
  width = 1,
): Promise<number> => {
  const all = size({ test: sample, prove: full });
  const hasTime = timer(seconds);
  let begun = 0;
  const playOn = async () => {
    while (begun < all && (begun === 0 || hasTime())) {
      const index = begun++;
      await play(seed + index, index).catch((error) => {
        console.log(`Round ${index + 1} failed; TEST_SEED=${seed + index} plays it first.`);
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: width }, playOn));
  await annotate(`${begun} of ${all} rounds, TEST_SEED=${seed}`);
  return begun;
};

/**
 * Says whether there is time for more. There always is but in `npm run prove`, whose campaigns end within a quarter of an
 * hour on any machine: what one has seen can be wrong, and how much it has seen is no verdict.
 */
export const timer = (seconds: number): (() => boolean) => {
  const endMs = lastRoundAtMs(seconds);
  return () => Date.now() < endMs;
};

/** Until when there is time for more. */
export const lastRoundAtMs = (seconds: number): number => {
  const never = Number.MAX_SAFE_INTEGER;
  return size({ test: never, prove: Math.min(Date.now() + seconds * 1000, inject('lastRoundAtMs')), full: never });
};

/** What differs in the sizes of a campaign, but for its rounds; one that is the same with `prove:full` names no `full`. */
export const size = <T>({ test, prove, full = prove }: { readonly test: T; readonly prove: T; readonly full?: T }): T =>
  ({ test, prove, full })[inject('campaign')];

/** One in so many rows of a table of tests with `npm test`, all of them otherwise. */
export const sampleOf = <Row>(rows: readonly Row[], oneIn: number): readonly Row[] =>
  size({ test: rows.filter((_, index) => index % oneIn === 0), prove: rows });

/** A test that has no small form and takes long: `npm test` leaves it out. */
export const provenTest = size({ test: test.skip, prove: test });
