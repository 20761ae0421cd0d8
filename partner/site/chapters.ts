import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
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
import { eventTypeTable, limitTable, rateLimitHeaderLines, ratePolicyTable } from './limits.ts';
import { codeBlockOf } from './markdown.ts';
import { problemIndex, problemSections } from './problem-sections.ts';

/** The files of partner/guide, in the order in which a newcomer needs them. */
const chapterNames = [
  'first-call',
  'consent',
  'owners',
  'changes',
  'rate-limits',
  'events',
  'webhooks',
  'api-keys',
  'errors',
  'client',
  'checklist',
  'versions',
] as const;

export type Chapter = {
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
  readonly html: string;
};

export const readChapters = (): Chapter[] =>
  chapterNames.map((name) => {
    const markdown = withInserts(readFileSync(new URL(`../guide/${name}.md`, import.meta.url), 'utf8'));
    const title = /^# (.+)$/m.exec(markdown)?.[1] ?? name;
    return { name, title, markdown, html: rendererOf(name).parse(markdown, { async: false }) };
  });

/** A renderer that puts the headings of a chapter one level deeper and keeps links to other chapters on the page. */
const rendererOf = (chapter: string) =>
  new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = depth === 1 ? chapter : `${chapter}-${slugOf(text)}`;
        return `<h${depth + 1} id="${id}">${this.parser.parseInline(tokens)}</h${depth + 1}>\n`;
      },
    },
    walkTokens: (token) => {
      if (token.type === 'link') token.href = placeOnPage(token.href, chapter);
    },
    hooks: {
      // On a narrow screen a table scrolls by itself and does not widen the page.
      postprocess: (html) =>
        html.replaceAll('<table>', '<div class="scrolling"><table>').replaceAll('</table>', '</table></div>'),
    },
  });

/** `rate-limits.md#headers`, or `#headers` within that chapter, is one place on the page; other links are as they are. */
const placeOnPage = (href: string, chapter: string): string => {
  const link = /^(?:(?<file>[\w-]+)\.md)?(?:#(?<slug>.+))?$/.exec(href)?.groups;
  if (!link) return href;
  return `#${[link.file ?? chapter, link.slug].filter((part) => part !== undefined).join('-')}`;
};

const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** The programs of the guide: parts of chapters, and files beside the page. */
export const programNames = ['rotate-key.ts', 'receiver.ts', 'receiver.py'] as const;

export const programText = (name: (typeof programNames)[number]): string =>
  readFileSync(new URL(`../guide/${name}`, import.meta.url), 'utf8');

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
  'rotate-key.ts': () => codeBlockOf('ts', programText('rotate-key.ts')),
  'receiver.ts': () => codeBlockOf('ts', programText('receiver.ts')),
  'receiver.py': () => codeBlockOf('python', programText('receiver.py')),
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
      throw new Error(`There is no insert ${name}; partner/site/chapters.ts has ${Object.keys(inserts).join(', ')}.`);
    return insert();
  });
