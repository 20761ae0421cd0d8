import { inject, test } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    campaign: 'test' | 'prove';
  }
}

/** Marks a test that `npm run prove` runs in full size. */
export const campaign = { tags: ['campaign'] };

/** How much of a campaign this run does: a sample with `npm test`, all of it with `npm run prove`. */
export const size = <T>(sizes: { readonly test: T; readonly prove: T }): T => sizes[inject('campaign')];

/** A test that has no small form and takes long: only `npm run prove` runs it. */
export const provenTest = size({ test: test.skip, prove: test });
