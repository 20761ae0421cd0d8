import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { common } from '../../../vitest.config.ts';
import { plan } from './run.ts';
import { decisionModules, instrument, modulesOfKills } from './source-mutants.ts';

const setups = (...names: string[]) => names.map((name) => `test/support/setup/${name}.ts`);

/** The nearest tests run first: the nearer a test is to the changed code, the sooner it notices a fault. */
const kinds = {
  commands: {
    runner: 'commands',
    include: ['test/lambdas/**/*.store.test.ts', 'test/operator/**/*.store.test.ts'],
    nearest: [
      /lambdas\/data\//,
      /operator\/(companies|restore)\//,
      /chain\/chain\./,
      /lambdas\/(jobs|handlers)\//,
      /./,
    ],
    globalSetup: setups('temporary-files', 'synthesis', 'dynamodb'),
  },
  decisions: {
    runner: 'decisions',
    include: ['test/lambdas/**/*.test.ts', 'test/config/**/*.test.ts'],
    exclude: ['test/**/*.{process,infra,store,e2e}.test.ts'],
    nearest: [/lambdas\/domain\//, /test\/config\//, /lambdas\/(webhooks|feed)\//, /./],
    globalSetup: setups('temporary-files'),
  },
  kills: {
    runner: 'decisions',
    include: ['test/lambdas/**/*.test.ts', 'test/operator/**/*.test.ts'],
    exclude: ['test/**/*.{process,infra,e2e}.test.ts'],
    nearest: [/./],
    globalSetup: setups('temporary-files', 'synthesis'),
  },
  /** Tests that show how the runner handles failing tests. */
  sample: {
    runner: 'commands',
    include: ['workshop/campaigns/mutants/runner.sample.ts'],
    nearest: [/./],
    globalSetup: setups('temporary-files'),
  },
};

const { nearest, runner, ...files } = kinds[plan.kind];
const distanceOf = ({ moduleId }: TestSpecification): number => nearest.findIndex((each) => each.test(moduleId));

class NearestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(specifications)).toSorted((one, other) => distanceOf(one) - distanceOf(other));
  }
}

const modules = plan.kind === 'kills' ? modulesOfKills : decisionModules;

/** Instruments modules with their mutants. */
const mutants = {
  name: 'mutants',
  enforce: 'pre' as const,
  transform: (source: string, id: string) => {
    const file = relative(process.cwd(), id);
    return modules.includes(file) ? instrument(file, source).code : undefined;
  },
};

/** Gives the tests tables in memory. */
const tablesInMemory = {
  name: 'tables-in-memory',
  enforce: 'pre' as const,
  resolveId: (source: string) =>
    source.endsWith('/world-tables.ts') ? join(import.meta.dirname, 'tables-in-memory.ts') : undefined,
};

const plugins = { commands: [], decisions: [mutants], sample: [], kills: [mutants, tablesInMemory] };

/** Runs the tests in one process, which repeats them under mutants. */
export default defineConfig({
  plugins: plugins[plan.kind],
  test: {
    ...common,
    // The cache does not know which mutants the plugin put into a module.
    fsModuleCache: false,
    ...files,
    runner: `workshop/campaigns/mutants/${runner}.ts`,
    // A mutant may make a test wait for ever.
    ...(plan.kind === 'kills' && { testTimeout: 20_000 }),
    maxWorkers: 1,
    fileParallelism: false,
    sequence: { sequencer: NearestFirst },
    // Every test ends as skipped; the report has the results.
    reporters: [['default', { summary: false }]],
  },
});
