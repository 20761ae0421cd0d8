import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** A test that runs longer than this hangs: no machine is that slow. */
const limitMs = 10 * 60_000;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    // Loads each module once for all files of a process: no test leaves state in a module.
    isolate: false,
    maxWorkers: availableParallelism(),
    restoreMocks: true,
    slowTestThreshold: 5000,
    silent: 'passed-only',
    testTimeout: limitMs,
    hookTimeout: limitMs,
    teardownTimeout: limitMs,
  },
});
