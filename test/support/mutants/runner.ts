import { relative } from 'node:path';
import { type RunnerTestCase, type RunnerTestFile, TestRunner, type TestTryOptions } from 'vitest';
import { beginWith, countOfSent, mutantsOfSent } from './commands.ts';
import { inconsistent } from './mutations.ts';
import { openReport } from './report.ts';

const report = openReport();

/** A test that sends more commands is left for those mutants that no other notices. */
const commandsOfCheapTest = 60;

/** A run of a test: as it is, under mutants, or as it is again after it has failed under one. */
type Trial = { readonly kind: 'first' | 'mutated' | 'again'; readonly mutants: readonly string[] };

/**
 * Runs each test first as it is, and then once for each mutant of a command that it has sent, as long as no test has
 * noticed that mutant. One process and one DynamoDB Local serve all of them. A test that fails under a mutant is run again
 * without it: only if it passes then has it noticed the mutant, and not what an earlier run left behind.
 */
export default class MutantRunner extends TestRunner {
  #trials: Trial[] = [];

  override async onBeforeRunTask(test: RunnerTestCase) {
    await super.onBeforeRunTask(test);
    this.#trials = [{ kind: 'first', mutants: [] }];
    // It is skipped as soon as there is no trial left.
    test.repeats = Number.POSITIVE_INFINITY;
  }

  override onBeforeTryTask(test: RunnerTestCase, options: TestTryOptions) {
    super.onBeforeTryTask(test, options);
    const [trial] = this.#trials;
    if (!trial) test.context.skip();
    else beginWith(trial.kind === 'mutated' ? trial.mutants : []);
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions) {
    await super.onAfterRetryTask(test, options);
    const trial = this.#trials.shift();
    if (!trial) return;
    const hasPassed = test.result?.state === 'pass';
    if (trial.kind === 'mutated') report.tried(trial.mutants);
    if (trial.kind === 'mutated' && hasPassed) return;
    if (trial.kind === 'mutated') this.#trials.unshift({ ...trial, kind: 'again' });
    else if (!hasPassed) this.#giveUp(test, trial);
    else if (trial.kind === 'first') this.#trials = this.#mutatedTrials(nameOf(test));
    else this.#noticed(nameOf(test), trial);
  }

  /** What is done to reads is tried all at once: a test that notices none of it together notices none alone. */
  #mutatedTrials(test: string): Trial[] {
    const mutants = report.meet(mutantsOfSent());
    if (countOfSent() > commandsOfCheapTest !== report.plan.isCostly) {
      for (const mutant of mutants) report.postpone(mutant, test);
      return [];
    }
    const { reads = [], others = [] } = Object.groupBy(mutants, (mutant) =>
      mutant.endsWith(inconsistent) ? 'reads' : 'others',
    );
    return [...(reads.length > 0 ? [reads] : []), ...others.map((mutant) => [mutant])].map(mutated);
  }

  #noticed(test: string, { mutants }: Trial) {
    const [mutant = ''] = mutants;
    if (mutants.length > 1) this.#trials.unshift(...mutants.map((each) => mutated([each])));
    else report.noticed(mutant, test);
  }

  #giveUp(test: RunnerTestCase, { kind }: Trial) {
    const message = test.result?.errors?.at(-1)?.message ?? '';
    report.cannotUse(nameOf(test), kind === 'first' ? `It fails: ${message}` : `It cannot be run again: ${message}`);
    this.#trials = [];
  }

  override onAfterRunFiles(files: RunnerTestFile[]) {
    super.onAfterRunFiles(files);
    report.write();
  }
}

const mutated = (mutants: readonly string[]): Trial => ({ kind: 'mutated', mutants });

const nameOf = ({ file, fullTestName }: RunnerTestCase): string =>
  `${relative(process.cwd(), file.filepath)}: ${fullTestName}`;
