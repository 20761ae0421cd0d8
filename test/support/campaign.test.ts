import { expect, test } from 'vitest';
import { campaign, playRounds, size } from './campaign.ts';
import { seed } from './random.ts';

const noTime = { test: 3, seconds: 0, full: 5 };

test('plays the requested rounds, or one if no time is left, each with its own seed', campaign, async () => {
  const seeds: number[] = [];
  const notes: string[] = [];
  const annotate = (note: string) => void notes.push(note) as never;
  const rounds = await playRounds({ annotate }, noTime, async (each) => seeds.push(each), 2);
  expect(rounds).toBe(size({ test: 3, prove: 1, full: 5 }));
  expect(seeds).toEqual(Array.from({ length: rounds }, (_, index) => seed + index));
  expect(notes).toEqual([`${rounds} of ${size({ test: 3, prove: 5 })} rounds, TEST_SEED=${seed}`]);
});

test('a round that fails fails the campaign, which plays no further one', async () => {
  const context = { annotate: expect.unreachable };
  let played = 0;
  const fail = async () => {
    played++;
    throw new Error('wrong');
  };
  await expect(playRounds(context as never, noTime, fail)).rejects.toThrow('wrong');
  expect(played).toBe(1);
});
