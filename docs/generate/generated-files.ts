import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { apiStage } from '../../lambdas/api/version.ts';
import { manualOf } from '../../operator/cli/manual.ts';
import { commands } from '../../operator/commands.ts';
import { ownerExportSchema } from '../../operator/owners/owner-export.ts';
import { generatedModules } from '../../partner/client/build/generate.ts';
import { brokenPromises, compatibilityLinesOf } from '../../partner/openapi/compatibility.ts';
import { openApiText } from '../../partner/openapi/document.ts';
import { pythonModules } from '../../partner/python/generate/generate.ts';
import { eventPromisesOf } from './event-promises.ts';
import { eventsText } from './events-document.ts';
import { withPassages } from './marked-passages.ts';
import { allPassages } from './passages.ts';
import { rulesFile, rulesText } from './rules.ts';

/** The promises of the major version, one per line. `npm run generate` adds lines and removes none. */
export const promisesFile = `docs/api-compatibility-${apiStage}.txt`;
/** The promises of the types of events, whose names contain their versions. */
export const eventPromisesFile = 'docs/events-compatibility.txt';

/**
 * Markdown that may contain generated passages between marks. Pages of decisions do not: they describe the state on their date.
 */
const markdownFiles = [
  '*.md',
  'docs/*.md',
  'docs/decisions/README.md',
  'docs/runbooks/*.md',
  'partner/guide/*.md',
  'partner/client/*.md',
];

/** Returns all generated files, by path, with the text that they should have. */
export const generatedFiles = async (root: string): Promise<ReadonlyMap<string, string>> => {
  const document = openApiText();
  const events = eventsText();
  const whole = new Map([
    ['docs/openapi.json', document],
    ['docs/events.json', events],
    [eventPromisesFile, `${eventPromisesOf(JSON.parse(events)).join('\n')}\n`],
    [promisesFile, `${compatibilityLinesOf(JSON.parse(document)).join('\n')}\n`],
    ['docs/operator.md', manualOf(commands)],
    ['docs/owner-export.schema.json', ownerExportSchema()],
    [rulesFile, rulesText(root)],
    ...Object.entries(await generatedModules(document)).map(
      ([name, text]) => [`partner/client/generated/${name}`, text] as const,
    ),
    ...Object.entries(pythonModules(document)).map(
      ([name, text]) => [`partner/python/partner_api_client/_generated/${name}`, text] as const,
    ),
  ]);
  const passages = allPassages();
  const restating = markdownFiles
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !whole.has(file))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const)
    .filter(([, text]) => text.includes('<!-- generated: '))
    .map(([file, text]) => [file, withPassages(file, text, passages)] as const);
  return new Map([...whole, ...restating]);
};

type Outcome = { readonly broken: readonly string[]; readonly written: readonly string[] };

/** Writes the files that are out of date. If a promise would be broken, writes no file and returns the promise in `broken`. */
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
