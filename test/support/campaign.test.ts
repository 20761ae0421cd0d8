import { expect, test } from 'vitest';
import { campaign, playCases, playRounds, size } from './campaign.ts';
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

test('plays each case of a table once, in an order that the seed determines', async () => {
  const cases = Array.from({ length: 40 }, (_, index) => index);
  const annotate = () => undefined as never;
  const play = async () => {
    const played: number[] = [];
    await playCases({ annotate }, { test: 40, seconds: 0 }, cases, async (each) => void played.push(each));
    return played;
  };
  const played = await play();
  expect(played).toHaveLength(size({ test: 40, prove: 1, full: 40 }));
  expect(new Set(played).size).toBe(played.length);
  expect(played.length === 1 || played.some((each, index) => each !== ((played[0] ?? 0) + index) % 40)).toBe(true);
  expect(await play()).toEqual(played);
});
