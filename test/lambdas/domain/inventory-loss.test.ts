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

test('the later version of each item is kept', () => {
  const versions = (lastVersions: Inventory['lastVersions']) => ({ ...emptyInventory, lastVersions });
  expect(withEarlier(versions({ one: 3, two: 1 }), versions({ two: 4, one: 2, three: 5 })).lastVersions).toEqual({
    one: 3,
    two: 4,
    three: 5,
  });
});
