import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { proven } from '../support/campaign.ts';

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** Returns the compiler's errors for the file with mistakes, by line. */
const compile = () =>
  new Promise<Map<number, string>>((resolve) => {
    const project = join(import.meta.dirname, 'tsconfig.json');
    execFile(process.execPath, [compiler, '--project', project, '--pretty', 'false'], (_, stdout) => {
      const errors = stdout
        .split(/^(?=\S)/m)
        .map((text) => [Number(/must-not-compile\.ts\((\d+),/.exec(text)?.[1]), text]);
      resolve(new Map(errors as [number, string][]));
    });
  });

/** The first line of each mistake, and the words that the compiler's error has to contain. */
const mistakes = readFileSync(join(import.meta.dirname, 'must-not-compile.ts'), 'utf8')
  .split('\n')
  .flatMap((line, index) => (line.startsWith('// → ') ? [{ firstLine: index + 2, words: line.slice(5) }] : []));

describe('the compiler', () => {
  let complaints: Map<number, string>;
  beforeAll(async () => {
    complaints = await compile();
  });

  test.each(mistakes)('rejects the mistake in line $firstLine: $words', proven, async ({ firstLine, words }) => {
    const nextLine = mistakes.find((each) => each.firstLine > firstLine)?.firstLine ?? Number.POSITIVE_INFINITY;
    const said = [...complaints].filter(([line]) => line >= firstLine && line < nextLine);
    expect(said.map(([, text]) => text).join('')).toContain(words);
    expect(said.length).toBe(1);
  });

  test('reports no other error', proven, async () => {
    expect(complaints.size).toBe(mistakes.length);
  });
});
