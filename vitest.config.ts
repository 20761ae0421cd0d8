import { defineConfig } from 'vitest/config';

const setup = (name: string) => `test/support/setup/${name}.ts`;

/** The last part of a test file's name says what the test needs; a file without one is a unit test and needs nothing. */
const project = (name: string, globalSetup: string[]) => ({
  extends: true as const,
  test: { name, include: [`test/**/*.${name}.test.ts`], globalSetup },
});

export default defineConfig({
  test: {
    // The output of what failed is enough to read, seeds of random tests included.
    silent: 'passed-only',
    // By itself it would leave a core idle: these tests wait for the store more than they compute.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/**/*.{store,infra,e2e}.test.ts'] },
      },
      project('infra', [setup('synthesis')]),
      project('store', [setup('synthesis'), setup('dynamodb')]),
      project('e2e', [setup('synthesis'), setup('dynamodb'), setup('chromium')]),
    ],
  },
});
