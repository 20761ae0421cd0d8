import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { siteFiles } from './site.ts';

const directory = resolve('.build/docs');

rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });
for (const [name, { content }] of siteFiles()) writeFileSync(join(directory, name), content);
console.log(`The API page: ${join(directory, 'index.html')}. Any web server can hand out this folder.`);
