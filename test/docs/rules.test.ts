import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rulesText } from '../../docs/generate/rules.ts';

/** Returns the title of a test of a rule, as its source has it; written out here, it would count as a test of that rule. */
const titled = (rule: number, quote = "'") => `${quote}rule ${rule}: it holds${quote}`;

const markdown = (rules: readonly number[], cell: string) =>
  `# Rules\n\n| number | rule | implemented in | tested in |\n|---|---|---|---|\n${rules.map((rule) => `| ${rule} | It holds. | \`a.ts\` |${cell}|\n`).join('')}`;

/** Returns the text of docs/rules.md in a repository with these rules and with a test file for each source. */
const textWith = (rules: readonly number[], sources: readonly string[], cell = '') => {
  const root = mkdtempSync(join(tmpdir(), 'rules-'));
  for (const folder of ['docs', 'test']) mkdirSync(join(root, folder));
  writeFileSync(join(root, 'docs/rules.md'), markdown(rules, cell));
  for (const [index, source] of sources.entries()) writeFileSync(join(root, `test/${index}.test.ts`), source);
  return rulesText(root);
};

test.each([
  [`test(${titled(3)}, () => {});`, [3]],
  [`  test.each([1, 2])(\n    ${titled(12)},\n    async () => {},\n  );`, [12]],
  [`test(${titled(1)}, () => {}); test(${titled(2, '`')}, () => {});`, [1, 2]],
])('the tests of rules in %s', (source, rules) => {
  expect(textWith(rules, [source, source])).toBe(markdown(rules, ' `test/0.test.ts`, `test/1.test.ts` '));
});

test.each([
  `test(${titled(3)}, campaign, () => {});`,
  `test.each([1])(\n  ${titled(3)},\n  campaign,\n  () => {});`,
  `test(${titled(3)}, proven, () => {});`,
  `test('it holds', () => expect(text).toBe(${titled(3)}));`,
  "test('it holds as rule 3: does', () => {});",
])('no test of a rule that npm test plays is in %s', (source) => {
  expect(() => textWith([3], [source, source])).toThrow('Rule 3 of docs/rules.md has no test.');
});

describe('docs/rules.md', () => {
  const one = `test(${titled(7)}, () => {});`;

  test.each(['', ' ', ' `old.test.ts` '])('gets the files of its tests in place of %j', (cell) => {
    expect(textWith([7], [one, one], cell)).toBe(markdown([7], ' `test/0.test.ts`, `test/1.test.ts` '));
    expect(textWith([7], [one + one], cell)).toBe(markdown([7], ' `test/0.test.ts` '));
  });

  test('cannot have a rule with fewer than two tests, or a test without its rule', () => {
    expect(() => textWith([7], [])).toThrow('Rule 7 of docs/rules.md has no test.');
    expect(() => textWith([7], [one])).toThrow('Rule 7 of docs/rules.md has one test, in test/0.test.ts.');
    const foreign = `test(${titled(8)}, () => {});`;
    expect(() => textWith([7], [one, one, foreign])).toThrow('test/2.test.ts has a test of rule 8. Add that rule');
  });

  test('has every rule in the order of their numbers', () => {
    const numbers = [...rulesText('.').matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
    expect(numbers.length).toBeGreaterThanOrEqual(23);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});
