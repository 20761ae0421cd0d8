import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export type Fates = {
  readonly found: readonly string[];
  readonly noticed: readonly string[];
  readonly unusableTests: Readonly<Record<string, string>>;
  /** The number of runs of a test under a mutant. */
  readonly trials: number;
  /** Whether the time ran out before all mutants were tried. */
  readonly isCutShort: boolean;
};

/**
 * Tries all mutants of a kind: first with the cheap tests, then with the costly ones for the mutants that are left. No costly
 * test tries an equivalent mutant: each of them would, since none notices it.
 */
export const tryMutants = async (
  plan: Pick<Plan, 'kind' | 'leftOut' | 'lastTrialAtMs'>,
  equivalents: readonly string[],
  files: readonly string[] = [],
): Promise<Fates> => {
  const cheap = await runUnderMutants({ ...plan, isCostly: false }, files);
  const isUnnoticed = (mutant: string) => cheap.fates[mutant]?.noticedBy === undefined;
  const only = Object.keys(cheap.fates).filter(
    (mutant) => isUnnoticed(mutant) && !equivalents.some((listed) => mutant.endsWith(listed)),
  );
  const costly = only
    .flatMap((mutant) => cheap.fates[mutant]?.postponedTo ?? [])
    .map((test) => test.replace(/:.*/, ''));
  const reports = [cheap];
  if (costly.length > 0 && !cheap.isCutShort)
    reports.push(await runUnderMutants({ ...plan, isCostly: true, only }, [...new Set(costly)]));
  return {
    found: Object.keys(cheap.fates),
    noticed: reports.flatMap(({ fates }) =>
      Object.entries(fates).flatMap(([mutant, { noticedBy }]) => (noticedBy === undefined ? [] : [mutant])),
    ),
    unusableTests: Object.assign({}, ...reports.map((report) => report.unusableTests)),
    trials: reports.reduce((sum, { trials }) => sum + trials, 0),
    isCutShort: reports.some((report) => report.isCutShort),
  };
};

const runUnderMutants = async (plan: Omit<Plan, 'report'>, files: readonly string[]): Promise<Report> => {
  const directory = mkdtempSync(join(tmpdir(), 'mutants-'));
  const report = join(directory, 'report.json');
  const planFile = join(directory, 'plan.json');
  writeFileSync(planFile, JSON.stringify({ ...plan, report } satisfies Plan));
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'workshop/campaigns/mutants/vitest.config.ts'];
  const child = spawn(process.execPath, [...vitest, '--root', '.', ...files], {
    env: { ...environment(), [planVariable]: planFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill());
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (exitCode !== 0) throw new Error(`The tests could not be run under mutants:\n${stdout}\n${stderr}`);
  return JSON.parse(readFileSync(report, 'utf8'));
};

/** A separate run with its own DynamoDB Local. A fixed seed makes random tests repeat their draws, and so their verdicts. */
const environment = () => ({
  TEST_SEED: '1',
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^VITEST|^DYNAMODB_LOCAL_OF_THIS_TEST_RUN$/.test(name)),
  ),
});

/** The plan of a run, passed in the file that the environment variable names. */
type Plan = {
  readonly kind: 'commands' | 'decisions' | 'sample';
  /** The file for the report. */
  readonly report: string;
  /** Whether the costly tests are run under mutants, or the cheap ones. */
  readonly isCostly: boolean;
  /** Tries only the mutants in `only`, if present, and none whose name ends with an entry of `leftOut`. */
  readonly only?: readonly string[];
  readonly leftOut: readonly string[];
  /** No mutant is tried after this time. */
  readonly lastTrialAtMs: number;
};

const planVariable = 'MUTANTS_PLAN';

/** The result for a mutant. */
type Fate = {
  noticedBy?: string;
  /** The tests that reached it and were not run under it because of their cost. */
  readonly postponedTo: string[];
};

type Report = {
  readonly fates: Readonly<Record<string, Fate>>;
  /** Tests that could not be run under mutants, with the reason. */
  readonly unusableTests: Readonly<Record<string, string>>;
  readonly trials: number;
  /** Whether the time ran out before all tests were run. */
  readonly isCutShort: boolean;
};

export const readPlan = (): Plan => JSON.parse(readFileSync(process.env[planVariable] ?? '', 'utf8'));

export const openReport = () => {
  const plan = readPlan();
  const fates: Record<string, Fate> = {};
  const unusableTests: Record<string, string> = {};
  let trials = 0;
  let isCutShort = false;
  const fateOf = (mutant: string): Fate => {
    fates[mutant] ??= { postponedTo: [] };
    return fates[mutant];
  };
  const isToBeTried = (mutant: string) =>
    fateOf(mutant).noticedBy === undefined &&
    !plan.leftOut.some((listed) => mutant.endsWith(listed)) &&
    (plan.only?.includes(mutant) ?? true);
  return {
    plan,
    /** Records mutants that a test reached; returns those still to be tried, which are not noticed yet. */
    meet: (mutants: readonly string[]) => mutants.filter(isToBeTried),
    postpone: (mutant: string, test: string) => fateOf(mutant).postponedTo.push(test),
    tried: () => {
      trials++;
    },
    hasTime: () => {
      if (Date.now() >= plan.lastTrialAtMs) isCutShort = true;
      return !isCutShort;
    },
    noticed: (mutant: string, test: string) => {
      fateOf(mutant).noticedBy = test;
    },
    cannotUse: (test: string, why: string) => {
      unusableTests[test] = why;
    },
    write: () =>
      writeFileSync(plan.report, JSON.stringify({ fates, unusableTests, trials, isCutShort } satisfies Report)),
  };
};
