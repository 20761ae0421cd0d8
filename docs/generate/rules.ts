import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The rules of the customer; `npm run generate` writes the last column of its tables. */
export const rulesFile = 'docs/rules.md';

/** Returns docs/rules.md with the files of the tests that name each rule. */
export const rulesText = (root: string): string => {
  const tests = globSync('test/**/*.test.ts', { cwd: root })
    .toSorted()
    .flatMap((file) => testsOfRules(file, readFileSync(join(root, file), 'utf8')));
  return withTests(readFileSync(join(root, rulesFile), 'utf8'), tests);
};

type TestOfRule = { readonly rule: string; readonly file: string };

/**
 * Returns the tests of a file whose titles begin with `rule <number>: `, except those that `npm test` may leave out: campaigns,
 * and tests that only `npm run prove` plays.
 */
const testsOfRules = (file: string, source: string): TestOfRule[] =>
  [...source.matchAll(/\(\s*(['"`])rule (\d+): (?:(?!\1)[^\n])+\1,(?!\s*(?:campaign|proven)\b)/g)].map(
    ([, , rule = '']) => ({ rule, file }),
  );

const row = /^\| (\d+) \| ([^|]+) \| ([^|]+) \|[^|\n]*\|$/gm;

/** Returns the Markdown with the tests in the last cell of each rule. Throws if a rule has fewer than two tests. */
const withTests = (markdown: string, tests: readonly TestOfRule[]): string => {
  const rules = [...markdown.matchAll(row)].map(([, rule]) => rule);
  const unknown = tests.find(({ rule }) => !rules.includes(rule));
  if (unknown) throw new Error(`${unknown.file} has a test of rule ${unknown.rule}. Add that rule to ${rulesFile}.`);
  return markdown.replaceAll(row, (_, rule: string, text: string, code: string) => {
    const files = tests.filter((test) => test.rule === rule).map(({ file }) => file);
    if (files.length < 2)
      throw new Error(
        `Rule ${rule} of ${rulesFile} has ${files.length === 0 ? 'no test' : `one test, in ${files}`}. Two tests of npm test must have titles that begin with "rule ${rule}: ".`,
      );
    return `| ${rule} | ${text} | ${code} | ${[...new Set(files)].map((file) => `\`${file}\``).join(', ')} |`;
  });
};
