import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { brunoFiles } from '../../partner/openapi/bruno.ts';
import { zipOf } from '../../partner/site/zip.ts';

test('other programs unpack the archive: every file has its text', ({ skip }) => {
  if (spawnSync('python3', ['--version']).status !== 0) return skip('To unpack it, install python3.');
  const directory = mkdtempSync(join(tmpdir(), 'zip-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const files = new Map([...brunoFiles(), ['empty.txt', ''], ['Größe/ä.txt', 'Wärme für 3 €\n']]);
  const archive = join(directory, 'bruno.zip');
  writeFileSync(archive, zipOf(files));
  for (const options of [
    ['-t', archive],
    ['-e', archive, directory],
  ])
    expect(spawnSync('python3', ['-m', 'zipfile', ...options], { encoding: 'utf8' })).toMatchObject({ status: 0 });
  for (const [path, text] of files) expect(readFileSync(join(directory, path), 'utf8')).toBe(text);
});

test('the same files give the same archive', () => {
  expect(zipOf(brunoFiles()).equals(zipOf(brunoFiles()))).toBe(true);
});
