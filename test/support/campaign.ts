import { inject, test } from 'vitest';

type Campaign = 'test' | 'prove' | 'full';

declare module 'vitest' {
  interface ProvidedContext {
    campaign: Campaign;
  }
}

/** Marks a test that `npm run prove` and `npm run prove:full` run in a larger size. */
export const campaign = { tags: ['campaign'] };

/**
 * How much of a campaign this run does: a sample with `npm test`, what CI has time for with `npm run prove`, all of it with
 * `npm run prove:full`. A campaign that CI has time for as a whole names no `full`.
 */
export const size = <T>({ test, prove, full = prove }: { readonly test: T; readonly prove: T; readonly full?: T }): T =>
  ({ test, prove, full })[inject('campaign')];

/** One in so many rows of a table of tests with `npm test`, all of them otherwise. */
export const sampleOf = <Row>(rows: readonly Row[], oneIn: number): readonly Row[] =>
  size({ test: rows.filter((_, index) => index % oneIn === 0), prove: rows });

/** A test that has no small form and takes long: `npm test` leaves it out. */
export const provenTest = size({ test: test.skip, prove: test });
