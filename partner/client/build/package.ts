import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage } from '../../../packages/build-package.ts';

const client = join(import.meta.dirname, '..');

/** Builds the package that partners install: JavaScript with type declarations. */
export const buildClient = (outDir: string): void =>
  buildPackage({ folder: client, tsconfig: join(client, 'build/tsconfig.json'), outDir, readme: readmeFor('ts') });

/** Returns the README of the clients with the examples of one language only. */
export const readmeFor = (language: 'ts' | 'python'): string => {
  const other = language === 'ts' ? 'python' : 'ts';
  return readFileSync(join(client, 'README.md'), 'utf8').replaceAll(
    new RegExp(`^\`\`\`${other}\\n[\\s\\S]*?^\`\`\`\\n\\n?`, 'gm'),
    '',
  );
};

if (import.meta.main) {
  const directory = join(client, '../../.build/client');
  buildClient(directory);
  console.log(`The client, to be installed: npm install ${directory}`);
}
