import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const setup = (name: string) => `test/support/setup/${name}.ts`;

/** The last part of a test file's name says what the test needs; a file without one is a unit test and needs nothing. */
const project = (name: string, globalSetup: string[]) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/**/*.${name}.test.ts`],
    globalSetup: ['temporary-files', ...globalSetup].map(setup),
  },
});

/** What has not ended by then hangs: no machine is so slow. */
const hangsAfterMs = { test: 10 * 60_000, prove: 60 * 60_000, full: 6 * 60 * 60_000 };

export default defineConfig(({ mode }) => {
  const campaign = mode === 'prove' || mode === 'full' ? mode : 'test';
  const isProof = campaign !== 'test';
  const limitMs = hangsAfterMs[campaign];
  return {
    test: {
      provide: { campaign },
      tags: [
        {
          name: 'campaign',
          description: 'Runs in small with `npm test`, larger with `npm run prove` and `prove:full`.',
        },
      ],
      ...(isProof && { tagsFilter: ['campaign'] }),
      // It shows what each campaign says of itself; without it, there is a line for each file.
      ...(isProof && { reporters: ['verbose'], hideSkippedTests: true }),
      // Loads each module once for all files of a process: no test leaves anything behind in one.
      isolate: false,
      restoreMocks: true,
      slowTestThreshold: 5000,
      // The output of what failed is enough to read, seeds of random tests included.
      silent: 'passed-only',
      // More than there are cores: these tests wait for the store about as long as they compute.
      maxWorkers: 2 * availableParallelism(),
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
          },
        },
        project('infra', ['synthesis']),
        project('store', ['synthesis', 'dynamodb']),
        project('e2e', ['synthesis', 'dynamodb', 'chromium']),
      ],
    },
  };
});
