import { join } from 'node:path';
import { apiStage } from '../../lambdas/api/version.ts';
import { eventPromisesFile, generatedFiles, promisesFile, writeFiles } from './generated-files.ts';
import { missingParts } from './missing-parts.ts';

const root = join(import.meta.dirname, '../..');

const refuse = (...paragraphs: string[]) => {
  console.error(paragraphs.join('\n\n'));
  process.exit(1);
};

const missing = missingParts(root);
if (missing.length > 0) refuse('Nothing was written.', missing.join('\n'));

const { broken, written } = writeFiles(root, await generatedFiles(root));
if (broken.length > 0)
  refuse(
    `Nothing was written: ${apiStage} of the API, or a type of events, has promised what would be gone.`,
    broken.join('\n'),
    `Give it back, or begin another major version or another type of events, ….v2. If nobody can have built on it, or the notice that partner/guide/versions.md promises is over, delete it from ${promisesFile} or ${eventPromisesFile}.`,
  );
console.log(written.length > 0 ? `Written: ${written.join(', ')}.` : 'All generated files were up to date.');
