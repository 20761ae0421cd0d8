import fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaign, playRounds, size } from '../../../test/support/campaign.ts';
import { playSequence } from './play-sequence.ts';
import { sequences } from './sequences.ts';

const sequencesPerRound = size({ test: 10, prove: 25 });

test(
  'with any clocks and deliveries: no read shows withdrawn data, and the feed tells or counts the rest',
  campaign,
  async (context) => {
    const rounds = await playRounds(context, { test: 1, seconds: 120, full: 400 }, (seed) =>
      fc.assert(fc.asyncProperty(sequences, playSequence), { seed, numRuns: sequencesPerRound }),
    );
    await context.annotate(`${rounds * sequencesPerRound} sequences`);
    expect(rounds).toBeGreaterThan(0);
  },
);
