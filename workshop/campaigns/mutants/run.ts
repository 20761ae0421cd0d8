import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/** What became of the mutants that the tests reached. */
export type Fates = {
  readonly found: readonly string[];
  readonly noticed: readonly string[];
  readonly unusableTests: Readonly<Record<string, string>>;
  /** The number of runs of a test under mutants. */
  readonly trials: number;
  /** Whether the time ran out before all mutants were tried. */
  readonly isCutShort: boolean;
};

/** Runs tests, all of the plan's kind or those in `files`, under mutants, in a vitest with its own DynamoDB Local. */
export const tryMutants = async (plan: Omit<Plan, 'report'>, files: readonly string[] = []): Promise<Fates> => {
  const report = join(mkdtempSync(join(tmpdir(), 'mutants-')), 'report.json');
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^VITEST|^DYNAMODB_LOCAL_OF_THIS_TEST_RUN$/.test(name),
  );
  // A fixed seed makes random tests repeat their draws, and so their verdicts.
  const env = { TEST_SEED: '1', ...Object.fromEntries(inherited), MUTANTS_PLAN: JSON.stringify({ ...plan, report }) };
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'workshop/campaigns/mutants/vitest.config.ts'];
  const run = promisify(execFile)(process.execPath, [...vitest, '--root', '.', ...files], {
    env,
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  onTestFinished(() => void run.child.kill());
  await run.catch(({ stdout, stderr }) => {
    throw new Error(`The tests could not be run under mutants:\n${stdout}\n${stderr}`);
  });
  return JSON.parse(readFileSync(report, 'utf8'));
};

type Plan = {
  readonly kind: 'commands' | 'decisions' | 'sample' | 'kills';
  /** The file for the report. */
  readonly report: string;
  /** No mutant is tried whose name ends with one of these. */
  readonly leftOut: readonly string[];
  /** No mutant is tried after this time. */
  readonly lastTrialAtMs: number;
};

/**
 * With `KILLS=3/24`, each test file tries the third of 24 shares of the mutants for itself, also those that other files notice:
 * `TEST_SEED=1 KILLS=3/24 npx vitest run --config workshop/campaigns/mutants/vitest.config.ts --root .`, with test files if not
 * all are to run, ends within the hour and writes lines of mutant, test file and the test that notices it, if one does, to
 * `.build/kills-3-24.tsv`. With `KILLS=<such a file>`, the mutants that it says are noticed are tried until one test notices them: a
 * test file notices nothing alone if the others notice all mutants of its lines.
 */
const { KILLS, MUTANTS_PLAN = 'null' } = process.env;
const planOfKills = {
  kind: 'kills',
  report: `.build/kills-${KILLS?.replaceAll(/\W+/g, '-')}.tsv`,
  leftOut: [],
  lastTrialAtMs: Date.now() + 55 * 60_000,
} as const;

/** The plan of this run. */
export const plan: Plan = KILLS ? planOfKills : JSON.parse(MUTANTS_PLAN);

const [, share, shares] = KILLS?.match(/^(\d+)\/(\d+)$/) ?? [];

const noticedIn = (report: string) =>
  new Set(
    report.split('\n').flatMap((line) => {
      const [mutant = '', _, test] = line.split('\t');
      return test ? [mutant] : [];
    }),
  );
const chosen = KILLS && !share ? noticedIn(readFileSync(KILLS, 'utf8')) : undefined;

const isChosen = (mutant: string): boolean => {
  if (chosen) return chosen.has(mutant);
  return !share || createHash('sha1').update(mutant).digest().readUInt32BE() % Number(shares) === Number(share) - 1;
};

export const openReport = () => {
  /** The test that noticed a mutant; empty if tests have only missed it, undefined if it was not tried. */
  const fates = new Map<string, string | undefined>();
  const unusableTests: Record<string, string> = {};
  let trials = 0;
  let isCutShort = false;
  const keyOf = (mutant: string, test: string) => (share ? `${mutant}\t${test.replace(/:.*/s, '')}` : mutant);
  const isToBeTried = (mutant: string, test: string): boolean => {
    const key = keyOf(mutant, test);
    fates.set(key, fates.get(key));
    return !fates.get(key) && !plan.leftOut.some((listed) => mutant.endsWith(listed));
  };
  return {
    /** Records mutants that a test reached; returns those that are to be tried. */
    toBeTried: (mutants: readonly string[], test: string) =>
      mutants.filter((mutant) => isChosen(mutant) && isToBeTried(mutant, test)),
    isMissed: (mutant: string, test: string) => fates.get(keyOf(mutant, test)) === '',
    tried: (mutants: readonly string[], test: string, isNoticed: boolean) => {
      for (const mutant of mutants) fates.set(keyOf(mutant, test), isNoticed ? test : '');
    },
    ran: () => void trials++,
    hasTime: () => {
      if (Date.now() >= plan.lastTrialAtMs) isCutShort = true;
      return !isCutShort;
    },
    cannotUse: (test: string, why: string) => {
      unusableTests[test] = why;
    },
    write: () => {
      const found = [...fates.keys()];
      const report: Fates = {
        found,
        noticed: found.filter((key) => fates.get(key)),
        unusableTests,
        trials,
        isCutShort,
      };
      const rows = [...fates, ...Object.entries(unusableTests)].map((row) => `${row.join('\t')}\n`);
      mkdirSync(dirname(plan.report), { recursive: true });
      writeFileSync(plan.report, KILLS ? rows.join('') : JSON.stringify(report));
    },
  };
};
