import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { brunoFiles } from '../../partner/openapi/bruno.ts';
import { zipOf } from '../../partner/site/zip.ts';

/** The files of the collection, by folder. */
const byFolder = Map.groupBy(brunoFiles().keys(), (path) => path.split('/').slice(0, -1).join('/'));

test('the collection has each operation once', () => {
  const ids = [...brunoFiles().keys()].flatMap((path) => /^(?!environments)[\w-]+\/(\w+)\.bru$/.exec(path)?.[1] ?? []);
  expect(ids.toSorted()).toEqual(operationIds.toSorted());
});

test('the requests of each folder are numbered from 1, deletions last', () => {
  for (const [folder, paths] of byFolder) {
    if (folder === '' || folder === 'environments') continue;
    const texts = paths.map((path) => brunoFiles().get(path) ?? '');
    expect(texts.map((text) => Number(/^ {2}seq: (\d+)$/m.exec(text)?.[1]))).toEqual(
      paths.map((_, index) => index + 1),
    );
    const areDeletions = texts.map((text) => /^delete \{$/m.test(text));
    expect(areDeletions).toEqual(areDeletions.toSorted());
  }
});

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
