import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // The output of what failed is enough to read, seeds of random tests included.
    silent: 'passed-only',
    // By itself it would leave a core idle: these tests wait for the store more than they compute.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
