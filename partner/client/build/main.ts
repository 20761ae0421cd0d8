import { join } from 'node:path';
import { buildPackage } from './package.ts';

const directory = join(import.meta.dirname, '../../../.build/client');
buildPackage(directory);
console.log(`The client, to be installed: npm install ${directory}`);
