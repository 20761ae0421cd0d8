import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { check } from '../../config/load.ts';
import { stageConfig } from '../../config/schema.ts';
import { createAccessProgram } from '../../infra/access/program.ts';
import { createDeployProgram } from '../../infra/deploy/program.ts';
import { homeOf } from '../../lambdas/sandbox/homes.ts';
import { programName } from '../../operator/cli/program.ts';
import { operatorFault } from '../support/operator.ts';

/** A stranger follows docs/deploy.md from an empty account on: its commands are valid, and its configuration is sufficient. */
const page = readFileSync('docs/deploy.md', 'utf8');
const fences = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, lines = '']) => lines);
const commandLines = fences
  .flatMap((lines) => lines.split('\n'))
  .map((line) => line.replace(/ +# .*$/, '').trim())
  .filter(Boolean);
const linesOf = (beginning: string) =>
  commandLines.filter((line) => line.startsWith(beginning)).map((line) => line.slice(beginning.length).trim());

describe('the commands', () => {
  test('of the operator are valid', () => {
    const lines = linesOf(`npx ${programName}`);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(operatorFault(line.replace(/ < .*/, '')), line).toBeUndefined();
  });

  test('of the operator are valid for a trial', () => {
    const lines = [...page.matchAll(/npm run operator -- ([^`\n#]+)/g)].map(([, line = '']) => line.trim());
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(operatorFault(line), line).toBeUndefined();
  });

  test('of the first call to a trial names the owner of a simulated home', () => {
    expect(linesOf('curl')[0]).toContain(`x-user-id: ${homeOf('sim-demo-1')?.userId}"`);
  });

  test.each([
    ['npm run access --', createAccessProgram],
    ['npm run deploy --', createDeployProgram],
  ] as const)('%s … are taken', async (beginning, createProgram) => {
    const lines = linesOf(beginning);
    expect(lines).not.toEqual([]);
    for (const line of lines) {
      const stages: string[] = [];
      const program = createProgram(async ({ stage }: { readonly stage: string }) => void stages.push(stage));
      await program.exitOverride().parseAsync(line.split(' '), { from: 'user' });
      expect(stages, line).toEqual(['prod']);
    }
  });
});

describe('the configuration of a first deployment', () => {
  const [, table = ''] = /\| entry \| what to write \|\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(page) ?? [];
  const rows = table.split('\n').map((row) => {
    const [, entries = '', advice = ''] = row.split('|');
    return { entries: [...entries.matchAll(/`(\w+)`/g)].map(([, name = '']) => name), advice };
  });
  const example: Readonly<Record<string, unknown>> = JSON.parse(readFileSync('config/example.json', 'utf8'));

  test('explains each entry of the example, and no other', () => {
    expect(rows.flatMap(({ entries }) => entries).toSorted()).toEqual(Object.keys(example).toSorted());
  });

  test('is accepted without optional entries, with one company that has an owner', () => {
    const leftOut = rows.filter(({ advice }) => /leave it out/.test(advice)).flatMap(({ entries }) => entries);
    expect(leftOut.toSorted()).toEqual(['neighbours', 'operators', 'workflow']);
    const first = Object.fromEntries(Object.entries(example).filter(([entry]) => !leftOut.includes(entry)));
    const companies = [{ companyId: 'me', name: 'Me', userId: 'me', allowedCidrs: ['9.9.9.9/32'] }];
    expect(check(stageConfig, { ...first, companies }).faults).toEqual([]);
  });
});
