import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  absentAt,
  described,
  emptyInventory,
  type Inventory,
  removed,
  withEarlier,
} from '../../../lambdas/domain/gateway.ts';
import { seed } from '../../support/random.ts';

const keys = ['one', 'two', 'three'];

const fact = fc.record({
  atMs: fc.integer({ min: 1, max: 12 }),
  /** The items of a description; a removal has none. */
  listed: fc.option(fc.subarray(keys)),
});

const after = (inventory: Inventory, facts: readonly { readonly atMs: number; readonly listed: string[] | null }[]) =>
  facts.reduce(
    (known, { atMs, listed }) => (listed ? described(known, listed, atMs) : removed(known, atMs)),
    inventory,
  );

const isDescribed = ({ describedAtMs, removedAtMs }: Inventory) => describedAtMs > removedAtMs;

test('an inventory that was lost and created again knows the same as one that was not lost', () => {
  fc.assert(
    fc.property(fc.array(fact), fc.array(fact), (before, since) => {
      const earlier = after(emptyInventory, before);
      const [kept, again] = [after(earlier, since), withEarlier(after(emptyInventory, since), earlier)];
      expect([again.describedAtMs, again.removedAtMs]).toEqual([kept.describedAtMs, kept.removedAtMs]);
      expect(isDescribed(again)).toBe(isDescribed(kept));
      for (const key of Object.keys(kept.absentAtMs)) expect(absentAt(again, key)).toBe(absentAt(kept, key));
    }),
    { seed, numRuns: 1000 },
  );
});

test.each([
  [3, 4],
  [4, 3],
])('of the last versions %i and %i, the higher one is kept', (own, earlier) => {
  const inventoryWith = (lastVersion: number) => ({ ...emptyInventory, lastVersion });
  expect(withEarlier(inventoryWith(own), inventoryWith(earlier)).lastVersion).toBe(4);
});
