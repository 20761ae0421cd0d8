/** Fewer than the connections that a client of the AWS SDK opens, 50: beyond them, it warns on the terminal. */
const atOnce = 20;

/**
 * Like `Promise.all` over `items.map(work)`, but works on a few items at a time: a list of a stage may have thousands. Begins no
 * other item after one has failed.
 */
export const mapConcurrently = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  // A loop that ends early also ends its generator, and thereby the other loops.
  const left = (function* () {
    yield* items.entries();
  })();
  const workThrough = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, workThrough));
  return results;
};
