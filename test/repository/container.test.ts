import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { siteInputs } from '../../local/api-page.ts';
import { importsBelow } from './imports.ts';

const readText = (file: string) => readFileSync(file, 'utf8');
/** The Dockerfile's instructions with their arguments, each on one line. */
const instructions = readText('Dockerfile')
  .replaceAll(/^\s*#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .trim()
  .split(/\n+/);
const argumentsOf = (name: string) =>
  instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
const patterns = readText('.dockerignore')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'));
const contextFiles = patterns.filter((line) => line.startsWith('!')).map((line) => line.slice(1));

test('the base image is pinned by digest and has the Node.js version of the functions', () => {
  const [base = '', ...stages] = argumentsOf('FROM');
  expect(base).toMatch(
    new RegExp(`^node:${readText('.nvmrc').trim()}\\.\\d+\\.\\d+-\\w+-slim@sha256:[0-9a-f]{64} AS base$`),
  );
  const names = ['base', ...stages.flatMap((stage) => / AS (\w+)$/.exec(stage)?.[1] ?? [])];
  expect(stages.filter((stage) => !names.includes(stage.split(' ')[0] ?? ''))).toEqual([]);
});

test('the image runs the program of npm start, as a user without rights', () => {
  expect(argumentsOf('USER')).toEqual(['node']);
  expect(instructions.slice(instructions.indexOf('USER node')).some((line) => /^(RUN|COPY|ADD)/.test(line))).toBe(
    false,
  );
  const { start } = JSON.parse(readText('package.json')).scripts;
  expect(JSON.parse(argumentsOf('ENTRYPOINT')[0] ?? '')).toEqual([
    'tini',
    '--',
    ...start.replace(/^.* exec /, '').split(' '),
    '--all-addresses',
  ]);
});

test('only files that are named get into an image', () => {
  expect(patterns[0]).toBe('*');
  expect(contextFiles.filter((file) => !existsSync(file))).toEqual([]);
  expect(contextFiles.filter((file) => /^(\.git|\.local|\.build|\.ci|node_modules|test)/.test(file))).toEqual([]);
});

test.each(['**/*.key', '**/.env', '**/.local', '**/node_modules'])('no %s gets into an image', (pattern) => {
  // Later patterns win.
  expect(patterns.lastIndexOf(pattern)).toBeGreaterThan(patterns.findLastIndex((line) => line.startsWith('!')));
});

test('files that a stage copies by name are in the context', () => {
  const copied = argumentsOf('COPY')
    .filter((line) => !line.startsWith('--from') && line !== '. .')
    .flatMap((line) => line.split(' ').slice(0, -1));
  expect(copied.length).toBeGreaterThan(3);
  expect(copied.filter((file) => !existsSync(file))).toEqual([]);
  expect(copied.filter((file) => !contextFiles.some((each) => file === each || file.startsWith(`${each}/`)))).toEqual(
    [],
  );
});

test('files that guide and reference are made of are in the context', () => {
  const files = siteInputs.filter((file) => !file.includes('*'));
  expect(files).toContain('SECURITY.md');
  expect(files.filter((file) => !contextFiles.includes(file))).toEqual([]);
});

const runFolders = [
  'config',
  'lambdas',
  'local',
  'operator',
  'packages/serve-stack/src',
  'partner/site/try-out',
  'simulator',
];

/** Packages of types only, which are not needed at run time. */
const typesOnly = ['aws-lambda', '@aws-sdk/types'];

/** The image lacks packages that only tools and tests use. */
test('what a run imports or resolves is installed without the packages of tools', () => {
  const packageFiles = ['package.json', 'packages/serve-stack/package.json'].map((file) => JSON.parse(readText(file)));
  const installed = packageFiles.flatMap(({ name, dependencies }) => [name, ...Object.keys(dependencies)]);
  const imported = importsBelow('.', runFolders).filter(
    ({ from, to }) => !from.startsWith('local/dashboard-preview/') && !to.startsWith('node:') && !existsSync(to),
  );
  const resolved = globSync(runFolders.map((folder) => `${folder}/**/*.ts`)).flatMap((from) =>
    [...readText(from).matchAll(/\.resolve\([`']([\w@-][^`']*)/g)].map(([, to = '']) => ({ from, to })),
  );
  expect(resolved.length).toBeGreaterThan(1);
  const packageOf = (specifier: string) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';
  const missing = [...imported, ...resolved].filter(({ to }) => ![...installed, ...typesOnly].includes(packageOf(to)));
  expect(missing).toEqual([]);
});
