import { expect } from 'vitest';
import { campaign, provenTest, size } from '../support/campaign.ts';
import { equivalentMutants } from '../support/mutants/equivalent.ts';
import type { Report } from '../support/mutants/report.ts';
import { runUnderMutants } from '../support/mutants/run.ts';

/** What to do about a mutant that no test has noticed. */
const advise = (mutant: string): string =>
  `${mutant}: no test notices it. Add a test that fails under it beside those of ${mutant.split(':')[0]}, or put it on the list in test/support/mutants/equivalent.ts, with the argument why none can.`;

const unnoticedIn = ({ fates }: Report) =>
  Object.entries(fates).flatMap(([mutant, { noticedBy }]) => (noticedBy === undefined ? [mutant] : []));

provenTest(
  'every condition, consistent read and client token of every command is needed by a test, or is on the list',
  campaign,
  async ({ annotate }) => {
    const listed = equivalentMutants;
    const leftOut = size({ test: listed, prove: listed, full: [] });
    const cheap = await runUnderMutants({ isCostly: false, leftOut });
    expect(cheap.unusableTests).toEqual({});

    const left = unnoticedIn(cheap).filter((mutant) => !leftOut.includes(mutant));
    const files = left.flatMap((mutant) =>
      (cheap.fates[mutant]?.postponedTo ?? []).map((test) => test.split(':')[0] ?? ''),
    );
    const costly =
      files.length > 0 && (await runUnderMutants({ isCostly: true, leftOut, only: left }, [...new Set(files)]));
    if (costly) expect(costly.unusableTests).toEqual({});
    const noticedLate = left.filter((mutant) => costly && costly.fates[mutant]?.noticedBy !== undefined);
    const survivors = left.filter((mutant) => !noticedLate.includes(mutant));

    const found = Object.keys(cheap.fates);
    await annotate(
      `${found.length} mutants: ${found.length - survivors.length - listed.length} noticed, ${listed.length} equivalent, in ${cheap.trials + (costly ? costly.trials : 0)} runs of tests.`,
    );
    expect(survivors.filter((mutant) => !listed.includes(mutant)).map(advise)).toEqual([]);
    expect(
      listed.filter((mutant) => !found.includes(mutant)),
      'listed, and no command has it any more',
    ).toEqual([]);
  },
);
