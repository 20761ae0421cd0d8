import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type AnyCommand, nameOf } from '../../operator/cli/command.ts';
import { commands } from '../../operator/commands.ts';
import { namesWithRuns, remedyWithoutRuns } from '../support/operator-runs.ts';

test('every command is in the file or folder of its noun, and every noun has only one', async () => {
  const files = readdirSync('operator/commands', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const found = await Promise.all(
    files.map(async (file) => {
      const module: Record<string, unknown> = await import(resolve('operator/commands', file));
      const rows = commands.filter((row: AnyCommand) => Object.values(module).includes(row));
      return rows.map((row) => ({ row, place: file.split('/')[0] ?? '' }));
    }),
  );
  for (const { row, place } of found.flat()) expect(place.replace(/\.ts$/, '')).toBe(row.noun.split(' ')[0]);
  expect(found.flat().map(({ row }) => row)).toHaveLength(commands.length);
  const places = readdirSync('operator/commands').map((name) => name.replace(/\.ts$/, ''));
  expect(places.sort()).toEqual([...new Set(commands.map(({ noun }) => noun.split(' ')[0]))].sort());
});

test.each(commands.map(nameOf))('%s has command lines that the tests of every command and of the roles run', (name) => {
  expect(namesWithRuns, remedyWithoutRuns(name)).toContain(name);
});

test('the tests run no command that was removed or renamed', () => {
  const names = commands.map(nameOf);
  const remedy = 'operator/commands.ts has no such command: remove or rename its key in test/support/operator-runs.ts.';
  expect(
    namesWithRuns.filter((name) => !names.includes(name)),
    remedy,
  ).toEqual([]);
});
