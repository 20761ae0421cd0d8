import { expect } from 'vitest';
import { campaign, provenTest, size } from '../support/campaign.ts';
import { equivalentMutants } from '../support/mutants/equivalent.ts';
import { runUnderMutants } from '../support/mutants/run.ts';

/** Those that are known to be equivalent are tried in full size only, where a test that notices one proves its argument wrong. */
const leftOut = size({ test: equivalentMutants, prove: equivalentMutants, full: [] });

/** What became of all mutants: first with the tests that send few commands, then with the others for what is left. */
const tryAll = async () => {
  const cheap = await runUnderMutants({ isCostly: false, leftOut });
  const isUnnoticed = (mutant: string) => cheap.fates[mutant]?.noticedBy === undefined;
  const only = Object.keys(cheap.fates).filter((mutant) => isUnnoticed(mutant) && !leftOut.includes(mutant));
  const files = only.flatMap((mutant) => cheap.fates[mutant]?.postponedTo ?? []).map((test) => test.replace(/:.*/, ''));
  const reports = [cheap];
  if (files.length > 0) reports.push(await runUnderMutants({ isCostly: true, leftOut, only }, [...new Set(files)]));
  return {
    found: Object.keys(cheap.fates),
    noticed: reports.flatMap(({ fates }) =>
      Object.entries(fates).flatMap(([mutant, { noticedBy }]) => (noticedBy === undefined ? [] : [mutant])),
    ),
    unusableTests: Object.assign({}, ...reports.map((report) => report.unusableTests)),
    trials: reports.reduce((sum, { trials }) => sum + trials, 0),
  };
};

/** What to do about a mutant that no test has noticed. */
const advise = (mutant: string): string =>
  `${mutant}: no test notices it. Add one that fails under it, beside the tests of ${mutant.replace(/:.*/, '')}, or list it in test/support/mutants/equivalent.ts with the argument why none can.`;

provenTest(
  'every condition, consistent read and client token of every command is needed by a test, or is known to be equivalent',
  campaign,
  async ({ annotate }) => {
    const { found, noticed, unusableTests, trials } = await tryAll();
    await annotate(
      `${found.length} mutants: ${noticed.length} noticed, ${equivalentMutants.length} equivalent; ${trials} runs of tests under mutants.`,
    );
    const survivors = found.filter((mutant) => !noticed.includes(mutant) && !equivalentMutants.includes(mutant));
    expect({
      survivors: survivors.map(advise),
      unusableTests,
      listedAndGone: equivalentMutants.filter((mutant) => !found.includes(mutant)),
      listedAndNoticed: equivalentMutants.filter((mutant) => noticed.includes(mutant)),
    }).toEqual({ survivors: [], unusableTests: {}, listedAndGone: [], listedAndNoticed: [] });
  },
);
