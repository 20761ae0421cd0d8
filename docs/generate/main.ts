import { join } from 'node:path';
import { apiStage } from '../../lambdas/api/version.ts';

const root = join(import.meta.dirname, '../..');

const refuse = (...paragraphs: string[]) => {
  console.error(paragraphs.join('\n\n'));
  process.exit(1);
};

/**
 * Returns the text to print for an error. An `Error` that a file of this repository throws is a sentence for the person who
 * edits the rows, and its stack would hide it. Any other error is a fault of the program, with its stack.
 */
export const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const [, origin = ''] = (error.stack ?? '').split('\n    at ');
  const isOurs = error.constructor === Error && origin.includes(`${root}/`) && !origin.includes('/node_modules/');
  return isOurs ? error.message : (error.stack ?? error.message);
};

const generate = async () => {
  // Imported here because some modules check the rows when they are loaded.
  const { missingParts, partsIn } = await import('./missing-parts.ts');
  const missing = missingParts(partsIn(root));
  if (missing.length > 0) refuse('Nothing was written.', missing.join('\n'));

  const { eventPromisesFile, generatedFiles, promisesFile, writeFiles } = await import('./generated-files.ts');
  const { broken, written } = writeFiles(root, await generatedFiles(root));
  if (broken.length > 0)
    refuse(
      `Nothing was written: ${apiStage} of the API, or a type of events, has promised what would be gone.`,
      broken.join('\n'),
      `Give it back, or begin another major version or another type of events, ….v2. If nobody can have built on it, or the notice that partner/guide/versions.md promises is over, delete it from ${promisesFile} or ${eventPromisesFile}.`,
    );
  console.log(written.length > 0 ? `Written: ${written.join(', ')}.` : 'All generated files were up to date.');
};

if (import.meta.main) await generate().catch((error) => refuse('Nothing was written.', textOf(error)));
