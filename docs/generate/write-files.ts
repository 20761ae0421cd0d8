import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brokenPromises } from '../../partner/openapi/compatibility.ts';
import { eventPromisesFile, promisesFile } from './generated-files.ts';

type Outcome = { readonly broken: readonly string[]; readonly written: readonly string[] };

/** Writes the files that are not as they should be, unless a promise of the major version would go: then none. */
export const writeFiles = (root: string, files: ReadonlyMap<string, string>): Outcome => {
  const current = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined);
  const broken = [promisesFile, eventPromisesFile].flatMap((file) =>
    brokenPromises(linesOf(current(file)), linesOf(files.get(file))),
  );
  if (broken.length > 0) return { broken, written: [] };
  const stale = [...files].filter(([file, text]) => current(file) !== text);
  for (const [file, text] of stale) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return { broken, written: stale.map(([file]) => file) };
};

const linesOf = (text = ''): string[] => text.split('\n').filter((line) => line !== '');
