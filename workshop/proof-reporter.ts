import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { tableOf } from '../partner/site/markdown.ts';

const recordFile = 'docs/proofs.md';

/**
 * Records a run of `npm run prove:full` in docs/proofs.md: a section for each test file. Files that did not run keep their
 * sections, and a failed run records nothing.
 */
export default class ProofReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: string): void {
    if (reason !== 'passed') return;
    const [introduction = '', ...recorded] = readFileSync(recordFile, 'utf8').split(/^(?=### )/m);
    const sections = new Map(recorded.map((section) => [nameIn(section), section.trim()]));
    const date = new Date().toISOString().slice(0, 10);
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
    for (const module of modules) {
      const section = sectionOf(module, `on ${date}, commit ${commit}`);
      if (section !== undefined) sections.set(nameIn(section), section);
    }
    const sorted = [...sections].toSorted(([left], [right]) => left.localeCompare(right)).map(([, section]) => section);
    writeFileSync(recordFile, `${[introduction.trim(), ...sorted].join('\n\n')}\n`);
  }
}

const nameIn = (section: string): string => /^### (.*)$/m.exec(section)?.[1] ?? '';

const sectionOf = (module: TestModule, when: string): string | undefined => {
  const tests = [...module.children.allTests('passed')];
  if (tests.length === 0) return undefined;
  // `workshop/campaigns/fuzz.store.test.ts` → `fuzz`
  const name = basename(module.moduleId).replace(/\.(?:\w+\.)?test\.ts$/, '');
  const rows = tests.map((test) => ({
    guarantee: test.fullName.replaceAll(' > ', ': '),
    figures: test.annotations().map(({ message }) => message),
    seconds: (test.diagnostic()?.duration ?? 0) / 1000,
  }));
  return [
    `### ${name}`,
    `\`npm run prove:full -- ${name}\`, ${when}.`,
    tableOf(
      ['guarantee', 'found', 'seconds'],
      merged(rows).map(({ guarantee, figures, seconds }) => [
        guarantee,
        figures.join('; ') || 'held',
        seconds.toFixed(0),
      ]),
    ),
  ].join('\n\n');
};

type Row = { readonly guarantee: string; readonly figures: readonly string[]; readonly seconds: number };

/** Merges more than five cases of one guarantee without figures into one row, which shows the first of them. */
const merged = (rows: readonly Row[]): Row[] =>
  [...Map.groupBy(rows, ({ guarantee }) => guarantee.replace(/: .*/, '')).values()].flatMap((cases) => {
    const [first] = cases as [Row];
    if (cases.length <= 5 || cases.some(({ figures }) => figures.length > 0)) return cases;
    const seconds = cases.reduce((sum, each) => sum + each.seconds, 0);
    return [{ guarantee: `${first.guarantee}; and ${cases.length - 1} more cases`, figures: [], seconds }];
  });
