import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import rootConfig from '../../../vitest.config.ts';

/** The nearer to the commands a test is, the sooner it notices what is wrong with them. */
const nearest = [
  /lambdas\/data\//,
  /operator\/(changes|keys|restore)\//,
  /chain\/chain\./,
  /lambdas\/(jobs|handlers)\//,
  /./,
];

const distanceOf = ({ moduleId }: TestSpecification): number => nearest.findIndex((each) => each.test(moduleId));

class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => distanceOf(one) - distanceOf(other));
  }
}

const { projects = [], ...common } = rootConfig({ mode: 'test', command: 'serve' }).test ?? {};

/** The tests of the data modules and all above them, in one process that runs them under mutants. */
export default defineConfig({
  test: {
    ...common,
    globalSetup: ['temporary-files', 'synthesis', 'dynamodb'].map((name) => `test/support/setup/${name}.ts`),
    include: ['test/lambdas/**/*.store.test.ts', 'test/operator/**/*.store.test.ts'],
    runner: 'test/support/mutants/runner.ts',
    maxWorkers: 1,
    fileParallelism: false,
    sequence: { sequencer: NearestFirst },
    // Every test ends as one that was skipped; the report tells what came of it.
    reporters: [['default', { summary: false }]],
  },
});
