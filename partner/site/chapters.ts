import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { withInserts } from './inserts.ts';

/** The files of partner/guide, in the order in which a newcomer needs them. */
const chapterNames = [
  'first-call',
  'consent',
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

/** `rate-limits.md#how-to-wait`, or `#how-to-wait` within that chapter, is one place on the page; other links are as they are. */
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
