import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generatedFiles, promisesFile, writeFiles } from '../../docs/generate/generated-files.ts';
import { withPassages } from '../../docs/generate/marked-passages.ts';
import { allPassages } from '../../docs/generate/passages.ts';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import * as limits from '../../lambdas/api/limits.ts';
import { type PictureName, shownIn } from '../../local/dashboard-preview/shown-in-pictures.ts';
import { templateOfStage } from '../infra/synthesized.ts';

describe('every generated file is up to date', async () => {
  const files = await generatedFiles('.');

  test.each([...files.keys()])('%s', (file) => {
    const isUpToDate = existsSync(file) && readFileSync(file, 'utf8') === files.get(file);
    expect(isUpToDate, `${file} is not what the code says now. Run npm run generate, and commit what it writes.`).toBe(
      true,
    );
  });

  test('files with passages among other text are found', () => {
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/decisions/README.md', 'partner/guide/errors.md']),
    );
  });

  test('each passage is in a file, unless every row has one', () => {
    const texts = [...files.values()].join('\n');
    const passagesOfRows = new Set([...Object.keys(limits), ...operationIds.map((id) => `example-${id}`)]);
    const unused = Object.keys(allPassages())
      .filter((name) => !passagesOfRows.has(name))
      .filter((name) => !texts.includes(`<!-- generated: ${name} -->`));
    expect(unused, 'Write the marks of these passages into a file, or delete them in docs/generate/.').toEqual([]);
  });
});

describe('a passage between marks', () => {
  const passages = { answer: () => '42' };

  test.each([
    ['in a line', 'It is <!-- generated: answer -->7<!-- end -->.', 'It is <!-- generated: answer -->42<!-- end -->.'],
    [
      'on its own lines',
      '<!-- generated: answer -->\n7\n<!-- end -->',
      '<!-- generated: answer -->\n\n42\n\n<!-- end -->',
    ],
  ])('%s is replaced, and its marks stay', (_, stale, fresh) => {
    expect(withPassages('a.md', stale, passages)).toBe(fresh);
    expect(withPassages('a.md', fresh, passages)).toBe(fresh);
  });

  test('with an unknown name is an error with the file and the existing passages', () => {
    expect(() => withPassages('a.md', 'It is <!-- generated: question --><!-- end -->', passages)).toThrow(
      'a.md contains the unknown passage "question". docs/generate/passages.ts has answer.',
    );
  });

  test('at the start of a line of text is an error, since Markdown treats the line as HTML', () => {
    const text = 'It is\n<!-- generated: answer -->7<!-- end -->, they say.';
    expect(() => withPassages('a.md', text, passages)).toThrow('a.md begins a line with the passage "answer"');
  });

  test('without an end is an error, and does not replace the text after it', () => {
    const text = '<!-- generated: answer -->7\n\n<!-- generated: answer -->7<!-- end -->';
    expect(() => withPassages('a.md', text, passages)).toThrow('a.md has a "<!-- generated: … -->" without');
  });
});

describe('writing', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'generated-'));
    mkdirSync(join(root, 'docs'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const put = (file: string, text: string) => writeFileSync(join(root, file), text);
  const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

  test('changes only stale and missing files', () => {
    put(promisesFile, 'a\n');
    put('old.md', 'old');
    const files = new Map([
      [promisesFile, 'a\nb\n'],
      ['old.md', 'old'],
      ['deep/new.md', 'new'],
    ]);
    expect(writeFiles(root, files)).toEqual({ broken: [], written: [promisesFile, 'deep/new.md'] });
    expect([promisesFile, 'old.md', 'deep/new.md'].map(textOf)).toEqual(['a\nb\n', 'old', 'new']);
  });

  test('writes nothing if a promise of the major version would be broken, and names the promise', () => {
    put(promisesFile, 'a\nb\n');
    put('old.md', 'old');
    const files = new Map([
      [promisesFile, 'b\nc\n'],
      ['old.md', 'new'],
    ]);
    expect(writeFiles(root, files)).toEqual({ broken: ['a'], written: [] });
    expect([promisesFile, 'old.md'].map(textOf)).toEqual(['a\nb\n', 'old']);
  });
});

const images = new URL('../../docs/images/', import.meta.url);
const shown = JSON.parse(readFileSync(new URL('shown.json', images), 'utf8'));
const remedy =
  'Run npm run pictures (it needs Chromium), look at the picture, and commit it with docs/images/shown.json.';

test.each(['on-call.png', 'on-call-row.png', 'first-page.png'] as const)(
  'docs/images/%s shows what there is',
  async (name: PictureName) => {
    const now = shownIn(await templateOfStage('local'))[name];
    expect(now.length).toBeGreaterThan(10);
    const outdated = `docs/images/${name} does not show what the service has now. ${remedy}`;
    expect(shown[name].shows, outdated).toEqual(now);
    const drawn = createHash('sha256').update(readFileSync(new URL(name, images)));
    expect(
      drawn.digest('hex'),
      `docs/images/${name} is not the picture that docs/images/shown.json describes. ${remedy}`,
    ).toBe(shown[name].sha256);
  },
);
