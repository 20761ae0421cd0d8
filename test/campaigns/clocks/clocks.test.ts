import fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaign, playRounds, size } from '../../support/campaign.ts';
import { playSequence, sequences } from './sequence.ts';

const sequencesPerRound = size({ test: 10, prove: 25 });

test(
  'whatever three clocks show and however late or often anything comes: no read shows what was withdrawn, and the feed tells or counts all else',
  campaign,
  async (context) => {
    const rounds = await playRounds(context, { test: 1, seconds: 120, full: 400 }, (seed) =>
      fc.assert(fc.asyncProperty(sequences, playSequence), { seed, numRuns: sequencesPerRound }),
    );
    await context.annotate(`${rounds * sequencesPerRound} sequences`);
    expect(rounds).toBeGreaterThan(0);
  },
);
