import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Returns the projects of the tests below some folders. The last part of a test file's name says what the test needs; a file
 * without one is a unit test and needs nothing.
 */
export const projectsIn = (folders: readonly string[]) => {
  const project = (name: string, globalSetup: readonly string[], pattern: string, exclude: readonly string[] = []) => ({
    extends: true as const,
    test: {
      name,
      include: folders.map((folder) => `${folder}/**/${pattern}`),
      exclude: ['**/node_modules/**', ...exclude],
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
  tags: [{ name: 'campaign', description: 'Plays a sample with `npm test`, and more with `npm run prove`.' }],
  // Loads each module once for all files of a process: no test leaves anything behind in one.
  isolate: false,
  restoreMocks: true,
  // Keeps transformed modules in node_modules, for the next run.
  fsModuleCache: true,
  slowTestThreshold: 5000,
  // The output of what failed is enough to read, seeds of random tests included.
  silent: 'passed-only' as const,
  // More than there are cores: these tests wait for the store about as long as they compute.
  maxWorkers: 2 * availableParallelism(),
  testTimeout: hangsAfterMs,
  hookTimeout: hangsAfterMs,
  teardownTimeout: hangsAfterMs,
  provide: { campaign: 'test' as const, lastRoundAtMs: Number.MAX_SAFE_INTEGER },
};

/** The tests of the service, one folder for each folder of sources; `workshop/vitest.config.ts` has the campaigns. */
export default defineConfig({
  test: {
    ...common,
    projects: projectsIn(['test']),
  },
});
