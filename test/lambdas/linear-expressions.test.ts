import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { growthOf, linearGrowth } from '../support/growth.ts';

/** A regular expression, and where it is. */
type Expression = { readonly place: string; readonly expression: RegExp };

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>;

const nodesIn = (value: unknown): Node[] => {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(nodesIn);
  return typeof (value as Node).type === 'string' ? [value as Node, ...inner] : inner;
};

/** The programs that read texts of partners, appliances, owners and webhooks. */
const sources = globSync(['lambdas/**/*.ts', 'operator/**/*.ts', 'partner/client/*.ts', 'partner/guide/*.ts']).map(
  (file) => {
    const source = readFileSync(file, 'utf8');
    return { file, source, nodes: nodesIn(parseAst(source, { lang: 'ts' })) };
  },
);

const written: Expression[] = sources.flatMap(({ file, source, nodes }) =>
  nodes.flatMap(({ regex, start }) => {
    if (!regex) return [];
    const { pattern, flags } = regex as { pattern: string; flags: string };
    return [{ place: `${file}:${source.slice(0, start).split('\n').length}`, expression: new RegExp(pattern, flags) }];
  }),
);

/** The patterns of the documents, among them those of the library and those that are composed. */
const published: Expression[] = ['docs/openapi.json', 'docs/events.json'].flatMap((file) => {
  const patterns = readFileSync(file, 'utf8').matchAll(/"pattern": (".*")/g);
  return [...new Set([...patterns].map(([, text = '']) => text))].map((text) => ({
    place: `${file} ${text}`,
    expression: new RegExp(JSON.parse(text), 'u'),
  }));
});

/** One of each kind of characters that expressions distinguish. */
const kinds = [...' \t\n\0a_Az09-.:/"\\{}[],=#%;+*é\u0301\u200b\u2028\ud800'];

/** What matches no class of characters, and so ends each attempt in vain. */
const noMatch = '\u0001';

/** Returns texts in which characters and pairs of characters are repeated, also after the beginning that the expression needs. */
const repetitionsFor = ({ source }: RegExp): ((length: number) => string)[] => {
  const [, beginning = ''] = /^\^?((?:[^\\^$.*+?()[\]{}|]|\\\W)*)(?![*+?{])/.exec(source) ?? [];
  const befores = [...new Set(['', beginning.replaceAll('\\', '')])];
  const own = [...new Set(source)].filter((each) => /\W/.test(each));
  const units = [...kinds, ...own, ...[...own, 'a', '0', ' '].flatMap((one) => own.map((other) => one + other))];
  return befores.flatMap((before) =>
    units.map((unit) => (length: number) => before + unit.repeat(length / unit.length) + noMatch),
  );
};

/** Returns a text for which an expression takes a time that is not proportional to the length; undefined if there is none. */
const slowTextFor = (expression: RegExp): string | undefined =>
  repetitionsFor(expression).find(
    (textOf) => growthOf((text: string) => text.replace(expression, ''), textOf, 500) > linearGrowth,
  )?.(8);

const slowOf = (expressions: readonly Expression[]) =>
  expressions.flatMap(({ place, expression }) => {
    const text = slowTextFor(expression);
    return text === undefined ? [] : [{ place, expression, text }];
  });

describe('the time of an expression that reads texts of others is proportional to their length', () => {
  test('in all programs that read such texts', () => {
    expect(written.length).toBeGreaterThan(100);
    expect(slowOf(written), 'Let the expression begin with ^, or match a whole run at once.').toEqual([]);
  });

  test('in the documents for partners and integrations', () => {
    expect(published.length).toBeGreaterThan(20);
    expect(slowOf(published)).toEqual([]);
  });

  test('if the expression is composed of parts, because it begins at the beginning of the text', () => {
    const composed = sources.flatMap(({ source, nodes }) =>
      nodes
        .filter(({ type, callee }) => /^(New|Call)Expression$/.test(type) && (callee as Node).name === 'RegExp')
        .map(({ start, end }) => source.slice(start, end)),
    );
    expect(composed.length).toBeGreaterThan(2);
    for (const each of composed) expect(each).toMatch(/RegExp\(`\^/);
  });

  test.each([/ *\n/g, /\s+$/, /[^x]*x/, /\{[^}]*\}/, /^key: *a* *$/])('and %s would be noticed', (expression) => {
    expect(slowTextFor(expression)).toBeDefined();
  });
});
