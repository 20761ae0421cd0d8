import { readFileSync } from 'node:fs';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import * as limits from '../../lambdas/api/limits.ts';
import {
  knownMeasurementDescriptions,
  knownMeasurementNames,
  knownMeasurements,
} from '../../lambdas/api/schemas/known-measurements.ts';
import { apiVersion } from '../../lambdas/api/version.ts';
import { controlRows, programName, usageOf } from '../../local/controls/controls.ts';
import { answerExampleOf } from '../../partner/openapi/examples.ts';
import { programText } from '../../partner/site/chapters.ts';
import { codeSamplesOf } from '../../partner/site/code-samples.ts';
import { codeBlockOf, tableOf, withoutMarks } from '../../partner/site/markdown.ts';
import {
  allLimitsTable,
  eventTypeTable,
  fleetListing,
  fleetTable,
  idempotentOperations,
  limitTable,
  pagedOperations,
  rateLimitHeaderLines,
  ratePolicyTable,
} from './limits.ts';
import { type Passages, withPassages } from './marked-passages.ts';
import { accessProblems, problemIndex, problemSections } from './problem-sections.ts';

/** Passages that each row of a kind has, whether a document contains it or not. */
const rowPassages: Passages = Object.fromEntries([
  // A limit that is a number, by its name in the code: `energyDays`.
  ...Object.entries(limits).flatMap(([name, limit]) =>
    typeof limit === 'number' ? [[name, () => String(limit)]] : [],
  ),
  // The example of the body that an operation returns: `example-getEnergy`.
  ...Object.entries<Endpoint>(endpoints).map(([operationId, endpoint]) => [
    `example-${operationId}`,
    () => jsonBlockOf(answerExampleOf(endpoint)),
  ]),
]);

const jsonBlockOf = (value: unknown): string => codeBlockOf('json', JSON.stringify(value, null, 2));

/** The passages of the guide that come from code or from another document. */
export const guidePassages: Passages = {
  ...rowPassages,
  limits: allLimitsTable,
  'example-call': () => exampleCall(),
  'example-answer': () => exampleAnswer(),
  'known-measurements': () => knownMeasurementTable(),
  'rate-policies': ratePolicyTable,
  'other-limits': limitTable,
  'rate-limit-headers': rateLimitHeaderLines,
  'event-types': eventTypeTable,
  'demo-controls': () => demoControlTable(),
  'problem-index': problemIndex,
  problems: problemSections,
  'access-problems': accessProblems,
  'demo-companies': () => demoCompanies(),
  'page-size': limits.pageSizeWords,
  'fleet-listing': () => String(fleetListing(1000).requests),
  'fleet-times': fleetTable,
  'paged-operations': pagedOperations,
  'idempotent-operations': idempotentOperations,
  // The versions become subheadings of the chapter.
  'change-log': () =>
    bodyOf('CHANGELOG.md')
      .replaceAll(/^##/gm, '###')
      .replaceAll(/^### \[(\S+)\] - (.+)$/gm, '### Version $1, $2'),
  'client-readme': () => bodyOf('partner/client/README.md'),
  'rotate-key.ts': () => codeBlockOf('ts', programText('rotate-key.ts')),
  'receiver.ts': () => codeBlockOf('ts', programText('receiver.ts')),
  'portal-server.ts': () => codeBlockOf('ts', programText('portal-server.ts')),
  'receiver.py': () => codeBlockOf('python', programText('receiver.py')),
  'home-size': () => `${limits.maxPageBytes / 1024} kB`,
  'api-version': () => `\`${apiVersion}\``,
};

/** Returns the code samples of a change, as in the reference. */
const exampleCall = (): string =>
  codeSamplesOf('updateHeatingCircuit')
    .map(({ lang, source }) => codeBlockOf(lang, source))
    .join('\n\n');

/** Returns the answer to that change, from the README. */
const exampleAnswer = (): string => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  return codeBlockOf('http wrap', /^```http\n([\s\S]*?)^```/m.exec(readme)?.[1] ?? '');
};

/** Returns a document without its title and without marks. Writes its own passages anew, because the file may be stale. */
const bodyOf = (file: string): string => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').replace(/^# .*\n/, '');
  return withoutMarks(withPassages(file, text, guidePassages)).trim();
};

/** Returns the table of companies from docs/local-run.md. */
const demoCompanies = (): string =>
  /^## The demo world\n([\s\S]*?)\n\n/m.exec(bodyOf('docs/local-run.md'))?.[1]?.replaceAll('../partner/guide/', '') ??
  '';

/** The controls of the demo world. */
const demoControlTable = (): string =>
  tableOf(
    [`\`${programName} …\``, 'what happens', 'what you see'],
    controlRows.map(([name, { does, seen }]) => [`\`${usageOf(name)}\``, does, seen]),
  );

const knownMeasurementTable = (): string =>
  tableOf(
    ['name', 'unit', 'meaning'],
    knownMeasurementNames.map((name) => {
      const { unit } = knownMeasurements[name];
      return [`\`${name}\``, unit === null ? 'a state' : `\`${unit}\``, knownMeasurementDescriptions()[name]];
    }),
  );
