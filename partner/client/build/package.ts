import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const client = join(import.meta.dirname, '..');

/** Builds the package that partners install: JavaScript with types, and nothing to compile. */
export const buildPackage = (directory: string): void => {
  rmSync(directory, { recursive: true, force: true });
  compile(directory);
  writeFileSync(join(directory, 'README.md'), readmeFor('ts'));
  copyFileSync(join(client, '../../LICENSE'), join(directory, 'LICENSE'));
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(packageJson(), null, 2)}\n`);
};

/** The README of the clients with the examples of one language: each package has its own. */
export const readmeFor = (language: 'ts' | 'python'): string => {
  const other = language === 'ts' ? 'python' : 'ts';
  return readFileSync(join(client, 'README.md'), 'utf8').replaceAll(
    new RegExp(`^\`\`\`${other}\\n[\\s\\S]*?^\`\`\`\\n\\n?`, 'gm'),
    '',
  );
};

const compile = (directory: string) => {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const options = ['--project', join(client, 'build/tsconfig.json'), '--outDir', directory];
  execFileSync(process.execPath, [compiler, ...options], { stdio: 'inherit' });
};

/** The package.json of the workspace, without the packages that only the build needs, and with compiled files as exports. */
const packageJson = () => {
  const { private: _, devDependencies: __, ...kept } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  const exports = Object.entries<string>(kept.exports).map(([name, source]) => {
    const compiled = source.replace(/\.ts$/, '');
    return [name, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
  });
  return { ...kept, exports: Object.fromEntries(exports) };
};

if (import.meta.main) {
  const directory = join(client, '../../.build/client');
  buildPackage(directory);
  console.log(`The client, to be installed: npm install ${directory}`);
}
