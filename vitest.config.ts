import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // The output of what failed is enough to read, seeds of random tests included.
    silent: 'passed-only',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
