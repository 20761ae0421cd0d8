import { describe, expect, test } from 'vitest';
import { rulesText, testsOfRules, withTests } from '../../docs/generate/rules.ts';

/** Returns the title of a test of a rule, as its source has it; written out here, it would count as a test of that rule. */
const titled = (rule: number, quote = "'") => `${quote}rule ${rule}: it holds${quote}`;

test.each([
  [`test(${titled(3)}, () => {});`, ['3']],
  [`  test.each([1, 2])(\n    ${titled(12)},\n    async () => {},\n  );`, ['12']],
  [`test(${titled(1)}, () => {}); test(${titled(2, '`')}, () => {});`, ['1', '2']],
  [`test(${titled(3)}, campaign, () => {});`, []],
  [`test.each([1])(\n  ${titled(3)},\n  campaign,\n  () => {});`, []],
  [`provenTest(${titled(3)}, () => {});`, []],
  [`test('it holds', () => expect(text).toBe(${titled(3)}));`, []],
  ["test('it holds as rule 3: does', () => {});", []],
])('the tests of rules in %s', (source, rules) => {
  expect(testsOfRules('a.test.ts', source)).toEqual(rules.map((rule) => ({ rule, file: 'a.test.ts' })));
});

describe('docs/rules.md', () => {
  const markdown = (cell: string) =>
    `# Rules\n\n| number | rule | implemented in | tested in |\n|---|---|---|---|\n| 7 | It holds. | \`a.ts\` |${cell}|\n`;
  const [one, other] = ['one.test.ts', 'other.test.ts'].map((file) => ({ rule: '7', file })) as [never, never];

  test.each(['', ' ', ' `old.test.ts` '])('gets the files of its tests in place of %j', (cell) => {
    expect(withTests(markdown(cell), [one, other])).toBe(markdown(' `one.test.ts`, `other.test.ts` '));
    expect(withTests(markdown(cell), [one, one])).toBe(markdown(' `one.test.ts` '));
  });

  test('cannot have a rule with fewer than two tests, or a test without its rule', () => {
    expect(() => withTests(markdown(''), [])).toThrow('Rule 7 of docs/rules.md has no test.');
    expect(() => withTests(markdown(''), [one])).toThrow('Rule 7 of docs/rules.md has one test, in one.test.ts.');
    const foreign = { rule: '8', file: 'a.test.ts' };
    expect(() => withTests(markdown(''), [one, one, foreign])).toThrow('a.test.ts has a test of rule 8. Add that rule');
  });

  test('has every rule in the order of their numbers', () => {
    const numbers = [...rulesText('.').matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
    expect(numbers.length).toBeGreaterThanOrEqual(23);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});
