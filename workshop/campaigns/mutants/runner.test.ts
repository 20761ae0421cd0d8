import { expect, test } from 'vitest';
import { campaign } from '../../../test/support/campaign.ts';
import { tryMutants } from './run.ts';

const hourMs = 60 * 60_000;

test(
  'neither the remains of a run under a mutant nor a run cut off by the time limit is a failure',
  campaign,
  async () => {
    const mutant = 'lambdas/data/api-keys/api-keys.ts: findPresentedKey: Get ApiKeys KEY#, not strongly consistent';
    const fates = await tryMutants({ kind: 'sample', leftOut: [], lastTrialAtMs: Date.now() + hourMs });
    const nameOf = (title: string) => `workshop/campaigns/mutants/runner.sample.ts: ${title}`;
    expect(fates).toEqual({
      found: [mutant],
      noticed: [mutant],
      unusableTests: {
        [nameOf('fails each time')]: 'It fails: As ever',
        [nameOf('leaves an error behind without a mutant')]: expect.stringContaining('Nobody handles this'),
      },
      trials: 1,
      isCutShort: true,
    });
  },
);
