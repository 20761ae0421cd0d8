import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Returns the projects of the tests below some folders, except those in the files `leftOut`. The suffix of a file's name, such as
 * `.store`, selects the project, and with it the setup of the test; a file without a suffix is a unit test.
 */
export const projectsIn = (folders: readonly string[], leftOut: readonly string[] = []) => {
  const project = (name: string, globalSetup: readonly string[], pattern: string, exclude: readonly string[] = []) => ({
    extends: true as const,
    test: {
      name,
      include: folders.map((folder) => `${folder}/**/${pattern}`),
      exclude: ['**/node_modules/**', ...exclude, ...leftOut],
      // A synthesis makes so many objects that collecting them more seldom saves a tenth of its time.
      execArgv: name === 'infra' ? ['--max-semi-space-size=64'] : [],
      globalSetup: ['temporary-files', ...globalSetup].map((setup) => `test/support/setup/${setup}.ts`),
    },
  });
  return [
    project('unit', [], '*.test.ts', ['**/*.{process,infra,store,e2e}.test.ts']),
    project('process', [], '*.process.test.ts'),
    project('infra', ['synthesis'], '*.infra.test.ts'),
    project('store', ['synthesis', 'dynamodb'], '*.store.test.ts'),
    project('e2e', ['synthesis', 'dynamodb', 'chromium', 'site'], '*.e2e.test.ts'),
  ];
};

/** A test or hook that takes longer hangs, even on a slow machine. */
const hangsAfterMs = 10 * 60_000;

/** The settings of all tests of the repository. */
export const common = {
  tags: [
    { name: 'campaign', description: 'Plays a sample with `npm run samples`, and more with `npm run prove`.' },
    { name: 'proven', description: 'Is played only by `npm run prove`.', skip: true },
  ],
  // Loads each module once per process instead of once per file: no test leaves state in a module.
  isolate: false,
  restoreMocks: true,
  // Keeps transformed modules in node_modules, for the next run.
  fsModuleCache: true,
  slowTestThreshold: 5000,
  // The output of what failed is enough to read, seeds of random tests included.
  silent: 'passed-only' as const,
  // One more than the machine has cores, because workers wait for the store: a seventh less time than with one for each core.
  maxWorkers: availableParallelism() + 1,
  testTimeout: hangsAfterMs,
  hookTimeout: hangsAfterMs,
  teardownTimeout: hangsAfterMs,
  provide: { campaign: 'test' as const, lastRoundAtMs: Number.MAX_SAFE_INTEGER },
};

/** The tests of the service, one folder for each folder of sources; `npm test` leaves the campaigns among them to `samples`. */
export default defineConfig({
  test: {
    ...common,
    projects: projectsIn(['test']),
  },
});
