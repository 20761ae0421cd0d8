import { expect, type TestContext, test } from 'vitest';
import { campaign, lastRoundAtMs, proven, size } from '../../../test/support/campaign.ts';
import { equivalentMutants } from './equivalent-commands.ts';
import { equivalentDecisions } from './equivalent-decisions.ts';
import { type Fates, tryMutants } from './run.ts';
import { decisionModules, mutantsOfSource } from './source-mutants.ts';

/** The known equivalent mutants run in full size only; there, a test that notices one proves its argument wrong. */
const leftOutOf = (equivalents: readonly string[]) =>
  size({ test: equivalents, prove: equivalents, full: [] as readonly string[] });

/** Says what to do about a mutant that no test noticed. */
const advise = (list: string) => (mutant: string) =>
  `${mutant}: no test notices it. Add one that fails under it, beside the tests of ${mutant.replace(/:.*/, '')}, or list it in ${list} with the argument why none can.`;

/** In this command, the audit row itself is put back, so the entry for the other audit rows does not apply. */
const putBackAudit = 'operator/restore/row-copy.ts: putBack: Put AuditLog, without its condition';

/** An entry without a sender applies to every sender. */
const isListed = (equivalents: readonly string[]) => (mutant: string) =>
  mutant !== putBackAudit && equivalents.some((listed) => mutant.endsWith(listed));

/** Fails for mutants that no test noticed, unless the time ran out before they were decided. */
const judge = async (
  { annotate }: Pick<TestContext, 'annotate'>,
  { found, noticed, unusableTests, trials, isCutShort }: Fates,
  equivalents: readonly string[],
  list: string,
) => {
  const known = found.filter(isListed(equivalents));
  const open = found.filter((mutant) => !noticed.includes(mutant) && !known.includes(mutant));
  await annotate(
    `${found.length} mutants: ${noticed.length} noticed, ${known.length} equivalent${isCutShort ? `, ${open.length} not decided in time` : ''}; ${trials} runs of tests under mutants.`,
  );
  if (!isCutShort) expect(noticed.length).toBeGreaterThan(0);
  expect({
    survivors: isCutShort ? [] : open.map(advise(list)),
    unusableTests,
    listedAndGone: isCutShort ? [] : equivalents.filter((listed) => !found.some((mutant) => mutant.endsWith(listed))),
    listedAndNoticed: noticed.filter(isListed(equivalents)),
  }).toEqual({ survivors: [], unusableTests: {}, listedAndGone: [], listedAndNoticed: [] });
};

const sample = { module: 'lambdas/api/host-name.ts', test: 'test/lambdas/api/texts.test.ts' };

test(
  'a test notices each mutant of comparisons, clauses, numbers and patterns, except known equivalents',
  campaign,
  async (context) => {
    const modules = size({ test: [sample.module], prove: decisionModules });
    const files = size({ test: [sample.test], prove: [] });
    const found = modules.flatMap(mutantsOfSource);
    const isOfThese = (mutant: string) => found.includes(mutant);
    const equivalents = equivalentDecisions.filter((mutant) => modules.includes(mutant.replace(/:.*/, '')));
    const leftOut = leftOutOf(equivalents);
    const plan = { kind: 'decisions', leftOut, lastTrialAtMs: lastRoundAtMs(180) } as const;
    const fates = await tryMutants(plan, equivalents, files);
    const ofThese = { ...fates, found, noticed: fates.noticed.filter(isOfThese) };
    await judge(context, ofThese, equivalents, 'workshop/campaigns/mutants/equivalent-decisions.ts');
  },
);

test(
  'a test notices each mutant of conditions, consistent reads and tokens, except known equivalents',
  proven,
  async (context) => {
    const leftOut = leftOutOf(equivalentMutants);
    const plan = { kind: 'commands', leftOut, lastTrialAtMs: lastRoundAtMs(300) } as const;
    const fates = await tryMutants(plan, equivalentMutants);
    await judge(context, fates, equivalentMutants, 'workshop/campaigns/mutants/equivalent-commands.ts');
  },
);
