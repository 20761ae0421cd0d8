import { inject, type TestContext } from 'vitest';
import { below, seed, seededNumbers } from './random.ts';

type Campaign = 'test' | 'prove' | 'full';

declare module 'vitest' {
  interface ProvidedContext {
    campaign: Campaign;
    /** The time from which no campaign begins a further round. */
    lastRoundAtMs: number;
  }
}

/** Marks a test that tries many cases, of which `npm test` tries none unless a file that the test imports has changed. */
export const campaign = { tags: ['campaign'] };

/** Marks a long test without a smaller size, which only `npm run prove` plays. */
export const proven = { tags: ['campaign', 'proven'] };

/** The number of rounds of a campaign, by mode. */
type Extent = {
  /** The rounds that `npm run samples` plays, and with it `npm test`. */
  readonly test: number;
  /** The time for which `npm run prove` plays rounds; it plays at least one. */
  readonly seconds: number;
  /** The rounds that `npm run prove:full` plays, and the most that `npm run prove` plays. */
  readonly full: number;
};

/**
 * Plays the rounds of a campaign, `width` of them at a time, and prints how many it played. Each round has its own seed. The
 * message of a failed round contains a TEST_SEED with which that round is played first.
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
 * Plays the cases of a long table as rounds, in an order that is random and the same in each run. A run begins at a random
 * case, or with the one that the TEST_SEED of a failure names.
 */
export const playCases = <Case>(
  context: Pick<TestContext, 'annotate'>,
  extent: Omit<Extent, 'full'>,
  cases: readonly Case[],
  play: (one: Case) => Promise<unknown>,
): Promise<number> => {
  const inOrder = shuffled(cases);
  return playRounds(context, { ...extent, full: cases.length }, (round) => play(inOrder[round % cases.length] as Case));
};

const shuffled = <Case>(cases: readonly Case[]): Case[] => {
  const random = seededNumbers(cases.length);
  const left = [...cases];
  return cases.flatMap(() => left.splice(below(random, left.length), 1));
};

/**
 * Returns whether there is time for another round. Only `npm run prove` has a limit: its campaigns end within a quarter of an
 * hour on any machine, so a slow machine plays fewer rounds and does not fail.
 */
export const timer = (seconds: number): (() => boolean) => {
  const endMs = lastRoundAtMs(seconds);
  return () => Date.now() < endMs;
};

/** The time until which further rounds begin. */
export const lastRoundAtMs = (seconds: number): number => {
  const never = Number.MAX_SAFE_INTEGER;
  return size({ test: never, prove: Math.min(Date.now() + seconds * 1000, inject('lastRoundAtMs')), full: never });
};

/** A size of a campaign other than its rounds, by mode. Without `full`, `prove:full` uses the size of `prove`. */
export const size = <T>({ test, prove, full = prove }: { readonly test: T; readonly prove: T; readonly full?: T }): T =>
  ({ test, prove, full })[inject('campaign')];

/** Returns every nth row of a table of tests with `npm run samples`, and all rows with `npm run prove`. */
export const sampleOf = <Row>(rows: readonly Row[], oneIn: number): readonly Row[] =>
  size({ test: rows.filter((_, index) => index % oneIn === 0), prove: rows });
