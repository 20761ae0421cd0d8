import { readFileSync } from 'node:fs';
import { tableOf } from '../../partner/site/markdown.ts';

/** The result of one run of a test file, as `test/support/proof-reporter.ts` records it. */
export type Proof = {
  /** `2026-11-22` */
  readonly date: string;
  readonly commit: string;
  readonly size: string;
  readonly results: readonly {
    readonly guarantee: string;
    readonly figures: readonly string[];
    readonly seconds: number;
  }[];
};

/** The proofs by test file. */
export type Proofs = Readonly<Record<string, Proof>>;

export const proofsFile = new URL('../proofs.json', import.meta.url);

export const readProofs = (): Proofs => JSON.parse(readFileSync(proofsFile, 'utf8'));

/** Returns the guarantees of each campaign and the findings of its last recorded run, with the command that repeats it. */
export const proofTables = (): string =>
  Object.entries(readProofs())
    .map(([file, { date, commit, size, results }]) =>
      [
        `### ${nameOf(file)}`,
        `\`npm run ${size === 'full' ? 'prove:full' : size} -- ${nameOf(file)}\`, on ${date}, commit ${commit}.`,
        tableOf(
          ['guarantee', 'found', 'seconds'],
          rowsOf(results).map(({ guarantee, figures, seconds }) => [
            guarantee,
            figures.join('; ') || 'held',
            seconds.toFixed(0),
          ]),
        ),
      ].join('\n\n'),
    )
    .join('\n\n');

type Result = Proof['results'][number];

/** Merges more than five cases of one guarantee without figures into one row, which shows the first of them. */
const rowsOf = (results: readonly Result[]): Result[] =>
  [...Map.groupBy(results, ({ guarantee }) => guarantee.replace(/: .*/, '')).values()].flatMap((cases) => {
    const [first] = cases as [Result];
    if (cases.length <= 5 || cases.some(({ figures }) => figures.length > 0)) return cases;
    const seconds = cases.reduce((sum, each) => sum + each.seconds, 0);
    return [{ guarantee: `${first.guarantee}; and ${cases.length - 1} more of the kind`, figures: [], seconds }];
  });

/** `test/campaigns/fuzz.store.test.ts` → `fuzz` */
const nameOf = (file: string): string => file.replace(/^.*\/|\.(?:\w+\.)?test\.ts$/g, '');
