import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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

/** Tests that need nothing: the quick check runs `unit`. */
const withoutStore = (name: string, include: string, exclude: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: [include],
    exclude: ['**/node_modules/**', '**/*.{store,infra,e2e}.test.ts', ...exclude],
    globalSetup: [setup('temporary-files')],
  },
});

/** What has not ended by then hangs: no machine is so slow. */
const hangsAfterMs = { test: 10 * 60_000, prove: 30 * 60_000, full: 6 * 60 * 60_000 };

/** With `npm run prove` a campaign begins no round later: it ends within a quarter of an hour, however slow the machine. */
const lastRoundAfterMs = 12 * 60_000;

/** What takes longest. Of the others, campaigns come last: they make do with the time that is left. */
const first = [
  'e2e/monitoring.e2e.test.ts',
  ...['mutants', 'clocks', 'interleavings'].map((name) => `campaigns/${name}/${name}.test.ts`),
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  if (first.some((file) => moduleId.endsWith(`/test/${file}`))) return 0;
  return moduleId.includes('/test/campaigns/') ? 2 : 1;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

export default defineConfig(({ mode }) => {
  const campaign = mode === 'prove' || mode === 'full' ? mode : 'test';
  const isProof = campaign !== 'test';
  const limitMs = hangsAfterMs[campaign];
  return {
    test: {
      provide: { campaign, lastRoundAtMs: Date.now() + lastRoundAfterMs },
      tags: [
        {
          name: 'campaign',
          description:
            'Runs as a sample with `npm test`, as far as its time goes with `npm run prove`, in full with `prove:full`.',
        },
      ],
      ...(isProof && { tagsFilter: ['campaign'], sequence: { sequencer: LongestFirst } }),
      // It shows what each campaign says of itself; without it, there is a line for each file.
      ...(isProof && { reporters: ['verbose'], hideSkippedTests: true }),
      // Loads each module once for all files of a process: no test leaves anything behind in one.
      isolate: false,
      restoreMocks: true,
      slowTestThreshold: 5000,
      // The output of what failed is enough to read, seeds of random tests included.
      silent: 'passed-only',
      // More than there are cores: these tests wait for the store about as long as they compute. Proofs start whole services
      // with stores of their own, which would starve each other.
      maxWorkers: isProof ? availableParallelism() + 1 : 2 * availableParallelism(),
      testTimeout: limitMs,
      hookTimeout: limitMs,
      teardownTimeout: limitMs,
      projects: [
        withoutStore('unit', 'test/**/*.test.ts', ['test/campaigns/**']),
        withoutStore('campaigns', 'test/campaigns/**/*.test.ts'),
        project('infra', ['synthesis']),
        project('store', ['synthesis', 'dynamodb']),
        project('e2e', ['synthesis', 'dynamodb', 'chromium', 'site']),
      ],
    },
  };
});
