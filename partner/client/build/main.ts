import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from './generated-files.ts';
import { buildPackage } from './package.ts';

const root = join(import.meta.dirname, '../../..');

const directory = join(root, 'partner/client/generated');
mkdirSync(directory, { recursive: true });
for (const [file, text] of Object.entries(await generatedFiles())) writeFileSync(join(directory, file), text);

const packageDirectory = join(root, '.build/client');
buildPackage(packageDirectory);
console.log(`The client, to be installed: npm install ${packageDirectory}`);
