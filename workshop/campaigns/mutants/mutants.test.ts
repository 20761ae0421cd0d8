import { expect, type TestContext, test } from 'vitest';
import { campaign, lastRoundAtMs, proven, size } from '../../../test/support/campaign.ts';
import { equivalentCommands } from './equivalent-commands.ts';
import { equivalentDecisions } from './equivalent-decisions.ts';
import { tryMutants } from './run.ts';
import { decisionModules, mutantsOfSource } from './source-mutants.ts';

/** In this command, the audit row itself is put back, so the entry for the other audit rows does not apply. */
const putBackAudit = 'operator/restore/row-copy.ts: putBack: Put AuditLog, without its condition';

/**
 * Fails for mutants that no test noticed, unless the time ran out before they were decided. The known equivalent mutants run in
 * full size only; there, a test that notices one proves its argument wrong.
 */
const tryAll = async (
  { annotate }: Pick<TestContext, 'annotate'>,
  kind: 'commands' | 'decisions',
  seconds: number,
  equivalents: readonly string[],
  { files, mutants }: { readonly files?: readonly string[]; readonly mutants?: readonly string[] } = {},
) => {
  const leftOut = size<readonly string[]>({ test: equivalents, prove: equivalents, full: [] });
  const { unusableTests, trials, isCutShort, ...fates } = await tryMutants(
    { kind, leftOut, lastTrialAtMs: lastRoundAtMs(seconds) },
    files,
  );
  const found = mutants ?? fates.found;
  const noticed = fates.noticed.filter((mutant) => found.includes(mutant));
  const isKnown = (mutant: string) => mutant !== putBackAudit && equivalents.some((each) => mutant.endsWith(each));
  const known = found.filter(isKnown);
  const open = found.filter((mutant) => !noticed.includes(mutant) && !known.includes(mutant));
  await annotate(
    `${found.length} mutants: ${noticed.length} noticed, ${known.length} equivalent${isCutShort ? `, ${open.length} not decided in time` : ''}; ${trials} runs of tests under mutants.`,
  );
  if (!isCutShort) expect(noticed.length).toBeGreaterThan(0);
  const advice = `no test notices it. Add one that fails under it, beside the tests of its module, or list it in workshop/campaigns/mutants/equivalent-${kind}.ts with the argument why none can.`;
  expect({
    survivors: isCutShort ? [] : open.map((mutant) => `${mutant}: ${advice}`),
    unusableTests,
    listedAndGone: isCutShort ? [] : equivalents.filter((listed) => !found.some((mutant) => mutant.endsWith(listed))),
    listedAndNoticed: noticed.filter(isKnown),
  }).toEqual({ survivors: [], unusableTests: {}, listedAndGone: [], listedAndNoticed: [] });
};

test(
  'a test notices each mutant of comparisons, clauses, numbers and patterns, except known equivalents',
  campaign,
  (context) => {
    const modules = size({ test: ['lambdas/api/host-name.ts'], prove: decisionModules });
    const files = size({ test: ['test/lambdas/api/texts.test.ts'], prove: [] });
    const listed = Object.values(equivalentDecisions).flat();
    const equivalents = listed.filter((mutant) => modules.includes(mutant.replace(/:.*/, '')));
    return tryAll(context, 'decisions', 180, equivalents, { files, mutants: modules.flatMap(mutantsOfSource) });
  },
);

test(
  'a test notices each mutant of conditions, consistent reads and tokens, except known equivalents',
  proven,
  (context) => tryAll(context, 'commands', 300, Object.values(equivalentCommands).flat()),
);
