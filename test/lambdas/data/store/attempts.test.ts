import { describe, expect, test } from 'vitest';
import { again, retrying, retryingFrom } from '../../../../lambdas/data/store/attempts.ts';

const attempts = { to: 'take a slot', atMost: 3 };

describe('attempts', () => {
  test('end with the first that gives a result, also one that is false', async () => {
    const results = [undefined, false, true];
    expect(await retrying(attempts, async () => results.shift())).toBe(false);
    expect(results).toEqual([true]);
  });

  test('go by what the one before has seen', async () => {
    const seen: [number, number][] = [];
    const last = await retryingFrom(10, attempts, async (known, count) => {
      seen.push([known, count]);
      return count === 2 ? 'done' : again(known + 1);
    });
    expect([seen, last]).toEqual([
      [
        [10, 0],
        [11, 1],
        [12, 2],
      ],
      'done',
    ]);
  });

  test('are so many at most, and then the request may be sent again', async () => {
    let count = 0;
    const overtaken = async () => void count++;
    await expect(retrying(attempts, overtaken)).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      message: "All of 3 attempts to take a slot have met somebody else's.",
    });
    expect(count).toBe(3);
  });

  test('end at what is thrown', async () => {
    const fault = new Error('The store was asked wrongly.');
    await expect(retrying(attempts, () => Promise.reject(fault))).rejects.toBe(fault);
  });
});
