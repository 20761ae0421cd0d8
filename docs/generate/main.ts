import { join } from 'node:path';
import { apiStage } from '../../lambdas/api/version.ts';
import { generatedFiles, promisesFile } from './generated-files.ts';
import { writeFiles } from './write-files.ts';

const root = join(import.meta.dirname, '../..');
const { broken, written } = writeFiles(root, await generatedFiles(root));

if (broken.length > 0) {
  console.error(`Nothing was written: ${apiStage} has promised what would be gone.\n\n${broken.join('\n')}\n`);
  console.error(
    `Give it back, or begin another major version. If nobody can have built on it, delete it from ${promisesFile}.`,
  );
  process.exitCode = 1;
} else if (written.length > 0) console.log(`Written: ${written.join(', ')}.`);
else console.log('All generated files were up to date.');
