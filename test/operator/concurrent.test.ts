import { expect, test } from 'vitest';
import { mapConcurrently } from '../../operator/concurrent.ts';

test('works on at most 20 items of a long list at a time, and returns the results in the order of the items', async () => {
  let [working, most] = [0, 0];
  const items = Array.from({ length: 203 }, (_, index) => index);
  const results = await mapConcurrently(items, async (item) => {
    most = Math.max(most, ++working);
    await new Promise((resolve) => setImmediate(resolve));
    working--;
    return item * 2;
  });
  expect([most, results]).toEqual([20, items.map((item) => item * 2)]);
});

test('rejects if one of the items fails, and begins no other item', async () => {
  let begun = 0;
  const fail = async (item: number) => {
    begun++;
    await new Promise((resolve) => setImmediate(resolve));
    if (item === 0) throw new Error('unavailable');
  };
  await expect(
    mapConcurrently(
      Array.from({ length: 40 }, (_, index) => index),
      fail,
    ),
  ).rejects.toThrow('unavailable');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(begun).toBe(20);
});
