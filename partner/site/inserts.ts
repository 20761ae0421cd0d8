import { readFileSync } from 'node:fs';
import {
  feedDays,
  idempotencyHours,
  keyLifetimeMonths,
  maxValidKeysPerCompany,
  maxWebhooksPerCompany,
  secretOverlapHours,
  webhookCodeHours,
} from '../../lambdas/api/limits.ts';
import { contractDocs } from '../../lambdas/api/schemas/contract.ts';
import { apiVersion } from '../../lambdas/api/version.ts';
import { eventTypeTable } from './event-types.ts';
import { limitTable, rateLimitHeaderLines, ratePolicyTable } from './limits.ts';
import { codeBlockOf } from './markdown.ts';
import { problemIndex, problemSections } from './problem-sections.ts';

/** The program that rotates a key: part of the guide, and a file beside the page. */
export const rotationProgram = (): string => readFileSync(new URL('../guide/rotate-key.ts', import.meta.url), 'utf8');

/** A document without its title, and without the marks of the facts that it restates. */
const bodyOf = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    .replace(/^# .*\n/, '')
    .replaceAll(/<!-- (?:generated: \S+|end) -->/g, '');

/** The parts of the chapters that come from the code or from another document, by the name in `<!-- insert: name -->`. */
export const inserts = {
  contract: () => codeBlockOf('json', JSON.stringify(contractDocs().example, null, 2)),
  'rate-policies': ratePolicyTable,
  limits: limitTable,
  'rate-limit-headers': rateLimitHeaderLines,
  'event-types': eventTypeTable,
  'problem-index': problemIndex,
  problems: problemSections,
  // The versions become subheadings of the chapter.
  'change-log': () => bodyOf('CHANGELOG.md').replaceAll(/^## /gm, '### '),
  client: () => bodyOf('partner/client/README.md'),
  'rotate-key.ts': () => codeBlockOf('ts', rotationProgram()),
  'key-lifetime': () => `${keyLifetimeMonths} months`,
  'idempotency-period': () => `${idempotencyHours} hours`,
  'feed-period': () => `${feedDays} days`,
  'max-webhooks': () => `${maxWebhooksPerCompany}`,
  'webhook-code-period': () => `${webhookCodeHours} hours`,
  'secret-overlap': () => `${secretOverlapHours} hours`,
  'max-valid-keys': () => `${maxValidKeysPerCompany}`,
  'api-version': () => apiVersion,
} satisfies Readonly<Record<string, () => string>>;

/** The Markdown text with every insert in its place. */
export const withInserts = (markdown: string): string =>
  markdown.replaceAll(/<!-- insert: (\S+) -->/g, (_, name: string) => {
    const insert = (inserts as Readonly<Record<string, () => string>>)[name];
    if (!insert)
      throw new Error(`There is no insert ${name}; partner/site/inserts.ts has ${Object.keys(inserts).join(', ')}.`);
    return insert();
  });
