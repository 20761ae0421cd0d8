import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { common, projectsIn } from '../vitest.config.ts';

/** A test or hook of a proof that takes longer hangs, even on a slow machine. */
const hangsAfterMs = { prove: 30 * 60_000, full: 6 * 60 * 60_000 };

/**
 * With `npm run prove` no campaign begins a round later, so it ends within a quarter of an hour on any machine. `.ci/run` sets
 * `PROVE_MINUTES` to less: it plays each campaign, and the nightly run plays more rounds.
 */
const lastRoundAfterMs = Number(process.env.PROVE_MINUTES ?? 12) * 60_000;

/** The longest files. Of the others, campaigns run last, with the time that is left. */
const longest = [
  ...['monitoring', 'api-page'].map((name) => `test/e2e/${name}.e2e.test.ts`),
  'test/local/main.e2e.test.ts',
  ...['options', 'app'].map((name) => `test/infra/${name}.infra.test.ts`),
  ...['mutants', 'clocks', 'storm', 'interleavings'].map((name) => `workshop/campaigns/${name}/${name}.test.ts`),
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  if (longest.some((file) => moduleId.endsWith(`/${file}`))) return 0;
  return moduleId.includes('/workshop/campaigns/') ? 2 : 1;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

const folders = ['test', 'workshop'];

/** The files without a campaign. To load them takes half as long again, and none of their tests is played. */
const filesWithoutCampaign = globSync(
  folders.map((folder) => `${folder}/**/*.test.ts`),
  { exclude: ['**/node_modules'] },
).filter((file) => !readFileSync(file, 'utf8').includes("/campaign.ts'"));

/**
 * The campaigns: all tests of the workshop, and tests of the service that try many cases. Without a mode they play samples
 * (`npm run samples`); with the modes `prove` and `full` they play more.
 */
export default defineConfig(({ mode }) => {
  const test = { ...common, tagsFilter: ['campaign'], projects: projectsIn(folders, filesWithoutCampaign) };
  if (mode !== 'prove' && mode !== 'full')
    return {
      test: {
        ...test,
        // No import leads from a campaign to all of the code that it plays: handlers are imported by name, mutants are made of
        // the text of modules, and the local run loads the functions in processes of their own.
        forceRerunTriggers: [...configDefaults.forceRerunTriggers, join(import.meta.dirname, '../lambdas/**')],
      },
    };
  const limitMs = hangsAfterMs[mode];
  return {
    test: {
      ...test,
      tags: common.tags.map((tag) => ({ ...tag, skip: false })),
      provide: { campaign: mode, lastRoundAtMs: Date.now() + lastRoundAfterMs },
      sequence: { sequencer: LongestFirst },
      // Prints the notes of each campaign instead of a line for each file.
      reporters: ['verbose'],
      hideSkippedTests: true,
      testTimeout: limitMs,
      hookTimeout: limitMs,
      teardownTimeout: limitMs,
    },
  };
});
