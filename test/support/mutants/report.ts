import { readFileSync, writeFileSync } from 'node:fs';

/** What a run is to try, handed over in the file that the environment names. */
export type Plan = {
  /** The file for the report. */
  readonly report: string;
  /** Whether the tests that send many commands are run under mutants, or those that send few. */
  readonly isCostly: boolean;
  /** Only these, where they are named; and never those that are left out. */
  readonly only?: readonly string[];
  readonly leftOut: readonly string[];
};

export const planVariable = 'MUTANTS_PLAN';

/** What became of a mutant. */
export type Fate = {
  /** How many tests were run under it. */
  triedBy: number;
  noticedBy?: string;
  /** The tests that send the command and were not run under it, for what they cost. */
  readonly postponedTo: string[];
};

export type Report = {
  readonly fates: Readonly<Record<string, Fate>>;
  /** Tests under which no mutant could be tried, and why. */
  readonly unusableTests: Readonly<Record<string, string>>;
  readonly trials: number;
};

export const openReport = () => {
  const plan: Plan = JSON.parse(readFileSync(process.env[planVariable] ?? '', 'utf8'));
  const fates: Record<string, Fate> = {};
  const unusableTests: Record<string, string> = {};
  let trials = 0;
  const fateOf = (mutant: string): Fate => {
    fates[mutant] ??= { triedBy: 0, postponedTo: [] };
    return fates[mutant];
  };
  const isToBeTried = (mutant: string) =>
    fateOf(mutant).noticedBy === undefined && !plan.leftOut.includes(mutant) && (plan.only?.includes(mutant) ?? true);
  return {
    plan,
    /** Puts mutants on record; returns those that are to be tried and that nobody has noticed. */
    meet: (mutants: readonly string[]) => mutants.filter(isToBeTried),
    postpone: (mutant: string, test: string) => fateOf(mutant).postponedTo.push(test),
    tried: (mutants: readonly string[]) => {
      trials++;
      for (const mutant of mutants) fateOf(mutant).triedBy++;
    },
    noticed: (mutant: string, test: string) => {
      fateOf(mutant).noticedBy = test;
    },
    cannotUse: (test: string, why: string) => {
      unusableTests[test] = why;
    },
    write: () => writeFileSync(plan.report, JSON.stringify({ fates, unusableTests, trials } satisfies Report)),
  };
};
