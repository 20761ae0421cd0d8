import { readFileSync, writeFileSync } from 'node:fs';

/** What a run is to try, handed over in the file that the environment names. */
export type Plan = {
  readonly kind: 'commands' | 'decisions';
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

export const planVariable = 'MUTANTS_PLAN';

/** What became of a mutant. */
export type Fate = {
  noticedBy?: string;
  /** The tests that met it and were not run under it, for what they cost. */
  readonly postponedTo: string[];
};

export type Report = {
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
