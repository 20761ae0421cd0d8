import fc from 'fast-check';

/** The seed of random tests. Each failure prints it, so that TEST_SEED can repeat the run. */
export const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000_007);

/** Prints the seed, and returns its numbers. */
export const randomNumbers = (start: number = seed) => {
  console.log(`TEST_SEED=${start}`);
  return seededNumbers(start);
};

/** Uniform numbers in [0, 1), the same for the same seed (mulberry32). */
export const seededNumbers = (start: number) => {
  let state = start >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** A whole number from 0 to `end - 1`. */
export const below = (random: () => number, end: number): number => Math.floor(random() * end);

/** Any code points, including lone surrogates. The unit `binary` of fast-check takes seconds to prepare. */
export const anyText = (maxLength = 10): fc.Arbitrary<string> =>
  fc.array(fc.nat({ max: 0x10ffff }), { maxLength }).map((codePoints) => String.fromCodePoint(...codePoints));
