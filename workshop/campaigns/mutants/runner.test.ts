import { expect, test } from 'vitest';
import { campaign } from '../../../test/support/campaign.ts';
import { tryMutants } from './run.ts';

const hourMs = 60 * 60_000;

test(
  'two mutants are told apart, and neither the remains of a run under one nor a run that the time limit ends is a failure',
  campaign,
  async () => {
    const mutants = [
      'api-keys/api-keys.ts: findPresentedKey: Get ApiKeys KEY#',
      'contracts/companies.ts: findCompany: Get Companies',
    ].map((read) => `lambdas/data/${read}, not strongly consistent`);
    const fates = await tryMutants({ kind: 'sample', leftOut: [], lastTrialAtMs: Date.now() + hourMs });
    const nameOf = (title: string) => `workshop/campaigns/mutants/runner.sample.ts: ${title}`;
    expect(fates).toEqual({
      found: mutants,
      noticed: mutants,
      unusableTests: {
        [nameOf('fails each time')]: 'It fails: As ever',
        [nameOf('leaves an error behind without a mutant')]: expect.stringContaining('Nobody handles this'),
      },
      trials: 6,
      isCutShort: true,
    });
  },
);
