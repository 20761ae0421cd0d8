import { AsyncLocalStorage } from 'node:async_hooks';
import { relative } from 'node:path';
import {
  type RunnerTestCase,
  type RunnerTestFile,
  type RunnerTestSuite,
  TestRunner,
  type TestTryOptions,
} from 'vitest';
import type { Tables } from '../../../test/support/memory-store/tables.ts';
import { openReport } from './run.ts';

/** The code that can be mutated while tests run. */
type Mutable = {
  /** Turns these mutants on and all others off, and forgets which were reached before. */
  readonly beginWith: (mutants: readonly string[]) => void;
  /** Returns the names of the mutants that a test of this file could have noticed since then. */
  readonly met: (testFile: string) => readonly string[];
};

const report = openReport();

/** A run of a test: unchanged, under mutants, or unchanged again after it failed under a mutant. */
type Trial = {
  readonly kind: 'first' | 'mutated' | 'again';
  readonly mutants: readonly string[];
  /** How often this trial has failed before. */
  readonly failures?: number;
};

/**
 * A test that fails this often in a row without a mutant cannot be used. It may fail once because of what the previous run left
 * behind, or because the machine is busy.
 */
const mostFailures = 3;

/** A run of a test. Everything that it starts belongs to it, including what happens after its end. */
type Run = { readonly test: string; readonly isMutated: boolean };

const runOf = new AsyncLocalStorage<Run>();
let currentRun: Run | undefined;

/** Whether the caller belongs to a run that is over. */
export const isLeftBehind = (): boolean => {
  const run = runOf.getStore();
  return run !== undefined && run !== currentRun;
};

/**
 * Judges an unhandled rejection or an uncaught error. If it comes from a run under a mutant, it is ignored: the run itself has
 * passed or failed, and whether the error occurs before its end depends on the machine. Any other is a fault of the test or of
 * the code that it tests.
 */
const judgeUnhandled = (error: unknown): void => {
  const run = runOf.getStore() ?? currentRun;
  if (run?.isMutated) return;
  report.cannotUse(
    run?.test ?? 'no test',
    `It leaves an error unhandled: ${error instanceof Error ? error.stack : error}`,
  );
  report.write();
};

// Vitest ignores these events if they have another listener.
process.on('unhandledRejection', judgeUnhandled).on('uncaughtException', judgeUnhandled);

/**
 * Runs each test first unchanged, and then once for each mutant that it reached and that no test has noticed yet. One process
 * runs all of them. A test that fails under a mutant is run again without it: only if it then passes has it noticed the mutant,
 * and not the remains of an earlier run.
 */
export const mutantRunner = (mutable: Mutable) =>
  class MutantRunner extends TestRunner {
    #trials: Trial[] = [];
    /** The tables in memory before and after the test's first run. */
    #before: Tables | undefined;
    #after: Tables | undefined;

    override async onBeforeRunSuite(suite: RunnerTestSuite) {
      if (!report.hasTime()) suite.mode = 'skip';
      await super.onBeforeRunSuite(suite);
    }

    override async onBeforeRunTask(test: RunnerTestCase) {
      await super.onBeforeRunTask(test);
      this.#trials = [{ kind: 'first', mutants: [] }];
      // The test is skipped as soon as no trial is left.
      test.repeats = Number.POSITIVE_INFINITY;
    }

    override onBeforeTryTask(test: RunnerTestCase, options: TestTryOptions) {
      super.onBeforeTryTask(test, options);
      const [trial] = this.#trials;
      // Also after the last trial: the setup of the next test does not belong to a mutant's run.
      const isMutated = trial?.kind === 'mutated';
      currentRun = { test: nameOf(test), isMutated };
      runOf.enterWith(currentRun);
      this.#setTables(trial);
      mutable.beginWith(isMutated ? trial.mutants : []);
      if (!trial || (trial.kind === 'first' && !report.hasTime())) test.context.skip();
    }

    override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions) {
      await super.onAfterRetryTask(test, options);
      const trial = this.#trials.shift();
      if (!trial) return;
      if (trial.kind === 'first') this.#after = globalThis.tablesInMemory?.now();
      const hasPassed = test.result?.state === 'pass';
      if (trial.kind === 'mutated') report.ran();
      if (!report.hasTime()) {
        // This run proves nothing: it may have been skipped, and there is no time to repeat a failed test.
        this.#trials = [];
        return;
      }
      if (trial.kind === 'mutated' && hasPassed) report.tried(trial.mutants, nameOf(test), false);
      else if (trial.kind === 'mutated') this.#trials.unshift({ ...trial, kind: 'again' });
      else if (!hasPassed) this.#failedUnchanged(test, trial);
      else if (trial.kind === 'first') this.#trials = this.#mutatedTrials(nameOf(test));
      else this.#noticed(nameOf(test), trial);
    }

    /** A repeated test begins with the tables of its first run, and leaves those behind that its first run has left. */
    #setTables(trial: Trial | undefined) {
      const tables = globalThis.tablesInMemory;
      if (trial?.kind === 'first') this.#before = tables?.now();
      const wanted = trial ? this.#before : this.#after;
      if (wanted) tables?.set(wanted);
    }

    /**
     * A mutant that no test has missed is tried alone, because most are noticed at once. The others are tried together, since
     * most are missed again, but no two of one module: one of these could prevent the effect of the other.
     */
    #mutatedTrials(test: string): Trial[] {
      const mutants = report.toBeTried(mutable.met(test.slice(0, test.indexOf(':'))), test);
      if (!report.hasTime()) return [];
      const isMissed = (mutant: string) => report.isMissed(mutant, test);
      const ofModules = Object.values(Object.groupBy(mutants.filter(isMissed), (mutant) => mutant.replace(/:.*/s, '')));
      const most = Math.max(0, ...ofModules.map((each = []) => each.length));
      const groups = Array.from({ length: most }, (_, index) => ofModules.flatMap((each) => each?.[index] ?? []));
      return [...groups, ...mutants.filter((mutant) => !isMissed(mutant)).map((mutant) => [mutant])].map(mutated);
    }

    #noticed(test: string, { mutants }: Trial) {
      if (mutants.length === 1) report.tried(mutants, test, true);
      else this.#trials.unshift(...halvesOf(mutants).map(mutated));
    }

    #failedUnchanged(test: RunnerTestCase, trial: Trial) {
      const { kind, failures = 0 } = trial;
      if (failures + 1 < mostFailures) {
        this.#trials.unshift({ ...trial, failures: failures + 1 });
        return;
      }
      const message = test.result?.errors?.at(-1)?.message ?? '';
      report.cannotUse(nameOf(test), kind === 'first' ? `It fails: ${message}` : `It cannot be run again: ${message}`);
      this.#trials = [];
    }

    override onAfterRunFiles(files: RunnerTestFile[]) {
      super.onAfterRunFiles(files);
      report.write();
    }
  };

const halvesOf = (mutants: readonly string[]) => {
  const middle = Math.ceil(mutants.length / 2);
  return [mutants.slice(0, middle), mutants.slice(middle)];
};

const mutated = (mutants: readonly string[]): Trial => ({ kind: 'mutated', mutants });

const nameOf = ({ file, fullTestName }: RunnerTestCase): string =>
  `${relative(process.cwd(), file.filepath)}: ${fullTestName}`;
