import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiStage } from '../../lambdas/api/version.ts';
import { compatibilityLinesOf } from './compatibility.ts';
import { openApiText } from './document.ts';

const docs = join(import.meta.dirname, '../../docs');
const promisesFile = join(docs, `api-compatibility-${apiStage}.txt`);

const text = openApiText();
const promises = compatibilityLinesOf(JSON.parse(text));
const promised = existsSync(promisesFile) ? readFileSync(promisesFile, 'utf8').trim().split('\n') : [];
const broken = promised.filter((promise) => !promises.includes(promise));

if (broken.length === 0) {
  writeFileSync(join(docs, 'openapi.json'), text);
  writeFileSync(promisesFile, `${promises.join('\n')}\n`);
} else {
  console.error(`Nothing was written: ${apiStage} has promised what would be gone.\n\n${broken.join('\n')}\n`);
  console.error(
    `Give it back, or begin another major version. If nobody can have built on it, delete it from ${promisesFile}.`,
  );
  process.exitCode = 1;
}
