import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const readText = (file: string) => readFileSync(file, 'utf8');
const packageFile = JSON.parse(readText('package.json'));
const locked: Record<string, { readonly version: string }> = JSON.parse(readText('package-lock.json')).packages;

/** The packages with the SDK's version number; its helpers (`util-dynamodb`, `core`) have their own numbers. */
const isNumberedWithSdk = (name: string) => /^@aws-sdk\/(client|lib)-/.test(name);

test('all packages of the AWS SDK have one version', () => {
  const packages = Object.entries<string>({ ...packageFile.dependencies, ...packageFile.devDependencies });
  const versions = new Set(packages.filter(([name]) => isNumberedWithSdk(name)).map(([, version]) => version));
  const remedy = 'Set all of them in package.json to the newest version that each one has (npm view <name> versions).';
  expect([...versions], remedy).toHaveLength(1);
});

test('the shared packages of the AWS SDK are installed once', () => {
  const shared = Object.keys(locked).filter((path) => /(^|\/)node_modules\/(@aws-sdk|@smithy)\/core$/.test(path));
  expect(shared.toSorted()).toEqual(['node_modules/@aws-sdk/core', 'node_modules/@smithy/core']);
});

test('developers, scripts and types use one major version of Node.js', () => {
  const major = readText('.nvmrc').trim();
  expect(packageFile.engines.node).toBe(`>=${major}`);
  expect(packageFile.devDependencies.node).toMatch(new RegExp(`^${major}\\.`));
  expect(packageFile.devDependencies['@types/node']).toMatch(new RegExp(`^${major}\\.`));
});

test('scripts name existing programs', () => {
  const scripts = Object.values<string>(packageFile.scripts).join('\n');
  const programs = [...scripts.matchAll(/[\w./-]+\.ts\b/g)].map(([file]) => file);
  expect(programs.length).toBeGreaterThan(10);
  expect(programs.filter((file) => !existsSync(file))).toEqual([]);
});

test('editors indent and wrap as the format check expects', () => {
  const { indentStyle, indentWidth, lineWidth } = JSON.parse(readText('biome.json')).formatter;
  const everywhere = readText('.editorconfig').split('[*.md]')[0];
  expect(everywhere).toContain(`indent_style = ${indentStyle}\nindent_size = ${indentWidth}\n`);
  expect(everywhere).toContain(`max_line_length = ${lineWidth}\n`);
});
