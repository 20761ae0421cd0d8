import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourceFolders } from '../support/source-folders.ts';

const isOutside = (path: string) => /(^|\/)(node_modules|cdk\.out|\.build|\.local)(\/|$)/.test(path);
const filesOf = (pattern: string) => globSync(pattern, { exclude: isOutside }).sort();
const textOf = (file: string) => readFileSync(file, 'utf8');
const withoutCode = (markdown: string) => markdown.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

const pages = filesOf('**/*.md').filter((file) => !isOutside(file));

/** Returns the anchors of headings, as GitHub names them. */
const placesIn = (file: string) => {
  const text = withoutCode(textOf(file));
  const ids = [...text.matchAll(/^<h3 id="([\w-]+)">/gm)].map(([, id = '']) => id);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
  return [...ids, ...headings];
};

/** Chapters of the guide link to files that exist only in the built guide; the test of the site checks those. */
const isInTheBuiltGuide = (page: string, path: string) =>
  page.startsWith('partner/guide/') && /\.(?:html|txt|xml|zip)$/.test(path);

describe.each(pages)('%s', (page) => {
  test('links to files and places that exist', () => {
    const targets = [...withoutCode(textOf(page)).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(
      ([, target = '']) => target,
    );
    const broken = targets.filter((target) => {
      const [path = '', place] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (isInTheBuiltGuide(page, path)) return false;
      return !existsSync(file) || (place !== undefined && !placesIn(file).includes(place));
    });
    expect(broken).toEqual([]);
  });

  test('has a title for each column of its tables', () => {
    const heads = [...withoutCode(textOf(page)).matchAll(/^(\|.*\|)\n\|[-:| ]+\|$/gm)].map(([, head = '']) => head);
    expect(heads.filter((head) => /\|\s*\|/.test(head))).toEqual([]);
  });

  test('has no comment behind a command: zsh passes it as arguments', () => {
    const commands = [...textOf(page).matchAll(/^ *```sh\n(.*?)^ *```/gms)].flatMap(([, block = '']) =>
      block.split('\n'),
    );
    expect(commands.filter((command) => /^\s*[^#\s].*\s#\s/.test(command))).toEqual([]);
  });

  test('names files and folders of the repository that exist', () => {
    const named = [
      ...textOf(page).matchAll(
        /`((?:config|docs|infra|lambdas|local|operator|packages|partner|test|workshop)\/[^`\s]*)`/g,
      ),
    ]
      .map(([, path = '']) => path)
      // Placeholders match any name.
      .filter((path) => !/[<>…*{]/.test(path));
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });
});

test('a decision that the code cites exists', () => {
  const sources = [...sourceFolders, 'test', 'workshop']
    .flatMap((folder) => filesOf(`${folder}/**/*.ts`))
    .filter((file) => !isOutside(file) && statSync(file).isFile());
  const cited = sources.flatMap((file) =>
    [...textOf(file).matchAll(/docs\/decisions\/(\d{4})/g)].map(([, n = '']) => n),
  );
  const numbers = new Set(filesOf('docs/decisions/0*.md').map((file) => file.slice('docs/decisions/'.length, 19)));
  expect(cited.length).toBeGreaterThan(0);
  expect(cited.filter((number) => !numbers.has(number))).toEqual([]);
});

describe('the folders on the architecture page', () => {
  const foldersOf = (parent: string) =>
    readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !isOutside(entry.name) && !entry.name.startsWith('.'))
      .map(({ name }) => join(parent, name));

  test('names every top-level folder, eleven at most, and every folder of the service', () => {
    const top = foldersOf('.');
    expect(top.length).toBeLessThanOrEqual(11);
    const named = textOf('docs/architecture.md').split('\n## Folders\n')[1];
    const folders = [...top.filter((folder) => folder !== 'lambdas'), ...foldersOf('lambdas')];
    expect(folders.filter((folder) => !named?.includes(`| \`${folder}/\` |`))).toEqual([]);
  });
});
