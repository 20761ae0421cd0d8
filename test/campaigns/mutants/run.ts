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
  /** How many times a test was run under a mutant. */
  readonly trials: number;
  /** Its time was over before all was tried. */
  readonly isCutShort: boolean;
};

/** What became of all mutants of a kind: first with the tests that cost little, then with the others for what is left. */
export const tryMutants = async (
  plan: Pick<Plan, 'kind' | 'leftOut' | 'lastTrialAtMs'>,
  files: readonly string[] = [],
): Promise<Fates> => {
  const cheap = await runUnderMutants({ ...plan, isCostly: false }, files);
  const isUnnoticed = (mutant: string) => cheap.fates[mutant]?.noticedBy === undefined;
  const only = Object.keys(cheap.fates).filter(
    (mutant) => isUnnoticed(mutant) && !plan.leftOut.some((listed) => mutant.endsWith(listed)),
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
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/campaigns/mutants/vitest.config.ts'];
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

/** A run of its own, with a DynamoDB Local of its own; random tests draw the same each time, so that the verdict is the same. */
const environment = () => ({
  TEST_SEED: '1',
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^VITEST|^DYNAMODB_LOCAL_OF_THIS_TEST_RUN$/.test(name)),
  ),
});

/** What a run is to try, handed over in the file that the environment names. */
type Plan = {
  readonly kind: 'commands' | 'decisions' | 'sample';
  /** The file for the report. */
  readonly report: string;
  /** Whether the tests that cost much are run under mutants, or those that cost little. */
  readonly isCostly: boolean;
  /** Only these, where they are named; and never those whose names end as one that is left out. */
  readonly only?: readonly string[];
  readonly leftOut: readonly string[];
  /** After this no mutant is tried any more. */
  readonly lastTrialAtMs: number;
};

const planVariable = 'MUTANTS_PLAN';

/** What became of a mutant. */
export type Fate = {
  noticedBy?: string;
  /** The tests that met it and were not run under it, for what they cost. */
  readonly postponedTo: string[];
};

type Report = {
  readonly fates: Readonly<Record<string, Fate>>;
  /** Tests under which no mutant could be tried, and why. */
  readonly unusableTests: Readonly<Record<string, string>>;
  readonly trials: number;
  /** Its time was over before all tests had been run. */
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
    /** Puts mutants on record; returns those that are to be tried and that nobody has noticed. */
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
