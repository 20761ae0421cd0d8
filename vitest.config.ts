import { defineConfig } from 'vitest/config';

const setup = (name: string) => `test/support/setup/${name}.ts`;

/** The last part of a test file's name says what the test needs; a file without one is a unit test and needs nothing. */
const project = (name: string, globalSetup: string[], options = {}) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/**/*.${name}.test.ts`],
    globalSetup: ['temporary-files', ...globalSetup].map(setup),
    ...options,
  },
});

/** Loads a module, of which CDK has many, once for all files: their tests leave nothing behind in it. */
const sharesModules = { isolate: false };

/** What has not ended by then hangs: no machine is so slow. */
const hangsAfterMs = { test: 10 * 60_000, prove: 60 * 60_000 };

export default defineConfig(({ mode }) => {
  const isProof = mode === 'prove';
  const campaign = isProof ? 'prove' : 'test';
  const limitMs = hangsAfterMs[campaign];
  return {
    test: {
      provide: { campaign },
      tags: [
        { name: 'campaign', description: 'Runs in small with every test run, in full size with `npm run prove`.' },
      ],
      ...(isProof && { tagsFilter: ['campaign'] }),
      // It shows what each campaign says of itself; without it, there is a line for each file.
      ...(isProof && { reporters: ['verbose'], hideSkippedTests: true }),
      slowTestThreshold: 5000,
      // The output of what failed is enough to read, seeds of random tests included.
      silent: 'passed-only',
      // By itself it would leave a core idle: these tests wait for the store more than they compute.
      maxWorkers: '100%',
      testTimeout: limitMs,
      hookTimeout: limitMs,
      teardownTimeout: limitMs,
      projects: [
        {
          extends: true,
          test: {
            name: 'unit',
            include: ['test/**/*.test.ts'],
            exclude: ['test/**/*.{store,infra,e2e}.test.ts'],
            globalSetup: [setup('temporary-files')],
            ...sharesModules,
          },
        },
        project('infra', ['synthesis'], sharesModules),
        project('store', ['synthesis', 'dynamodb']),
        project('e2e', ['synthesis', 'dynamodb', 'chromium']),
      ],
    },
  };
});
