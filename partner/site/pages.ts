import { readFileSync } from 'node:fs';
import { chapterGroups, readChapters } from './chapters.ts';
import { withoutMarks } from './markdown.ts';
import { headersPage } from './reference.ts';

export type Page = {
  /** The path within the site, without a file extension. */
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
  /** The MDX for the site generator, with the languages of an example as tabs. */
  readonly mdx: string;
};

/** Whom readers ask, and where the operator reports incidents. Without them, the landing page says: ask the operator. */
export type Operator = {
  /** A URL such as `mailto:partners@example.com`. */
  readonly contact?: string | undefined;
  /** The URL of a status page. */
  readonly statusUrl?: string | undefined;
};

/** Returns the landing page, the chapters of the guide, and the page about the headers of every response. */
export const pages = (operator: Operator = {}): Page[] => [
  landingPage(operator),
  ...readChapters().map(({ name, title, markdown }) => ({
    name: `guide/${name}`,
    title,
    markdown,
    mdx: [frontMatterOf({ title }), importOfTabs, withTabs(withLinks(withoutTitle(markdown)))].join('\n\n'),
  })),
  pageAboutHeaders(),
];

/** The page that a web server answers with to an unknown address, at any depth: its links begin with `base`. */
export const notFoundPage = (base: string): string =>
  frontMatterOf({
    title: '404',
    template: 'splash',
    pagefind: false,
    hero: {
      title: 'Page not found',
      tagline: 'No page has this address. Search for a word, or start here:',
      actions: [
        { text: 'First call', link: `${base}guide/first-call.html` },
        { text: 'Reference', link: `${base}reference.html`, variant: 'minimal' },
        { text: 'Errors', link: `${base}guide/errors.html`, variant: 'minimal' },
      ],
    },
  });

const pageAboutHeaders = (): Page => {
  const page = headersPage();
  return { ...page, mdx: [frontMatterOf({ title: page.title }), withoutTitle(page.markdown)].join('\n\n') };
};

const withoutTitle = (markdown: string): string => markdown.replace(/^# .*\n/, '');

/** Returns the chapters by menu group. Cuts titles at a colon or an opening parenthesis, because the menu is narrow. */
export const menu = () => {
  const titles = new Map(readChapters().map(({ name, title }) => [name, title]));
  return Object.entries(chapterGroups).map(([label, names]) => ({
    label,
    items: names.map((name) => ({
      label: titles.get(name)?.replace(/:.*| \(.*/, '') ?? name,
      link: `guide/${name}.html`,
    })),
  }));
};

const landingPage = ({ contact, statusUrl }: Operator): Page => {
  // The last section says whom to ask.
  const markdown = [
    withoutMarks(readFileSync(new URL('../guide/index.md', import.meta.url), 'utf8')).trimEnd(),
    ...(contact === undefined ? [] : [`The operator’s contact is [${nameOf(contact)}](${contact}).`]),
    ...(statusUrl === undefined ? [] : [`The operator reports incidents on [${nameOf(statusUrl)}](${statusUrl}).`]),
  ].join('\n\n');
  const [heading = '', tagline = '', ...rest] = markdown.split('\n\n');
  const title = heading.replace('# ', '');
  return {
    name: 'index',
    title,
    markdown,
    mdx: [
      frontMatterOf({
        title,
        template: 'splash',
        hero: {
          tagline: tagline.replaceAll('\n', ' '),
          actions: [
            { text: 'Make your first call', link: 'guide/first-call.html', icon: 'right-arrow' },
            { text: 'Reference', link: 'reference.html', variant: 'minimal' },
          ],
        },
      }),
      importOfTabs,
      // The landing page is one folder above the chapters.
      withTabs(withLinks(rest.join('\n\n'), 'guide/')),
    ].join('\n\n'),
  };
};

/** Returns a URL as people write it, in Markdown. */
const nameOf = (url: string): string =>
  url.replace(/^(?:mailto:|tel:|https:\/\/)|\/?(?:\?.*)?$/g, '').replaceAll(/[*_~]/g, '\\$&');

const frontMatterOf = (values: object): string =>
  ['---', ...Object.entries(values).map(([name, value]) => `${name}: ${JSON.stringify(value)}`), '---'].join('\n');

/** Converts links between Markdown files, which work in the repository, to links between pages. Adds one to a file of the site. */
const withLinks = (markdown: string, folder = ''): string =>
  markdown
    .replaceAll(/\]\(([\w-]+)\.md(#[^)]*)?\)/g, (_, file, place = '') => `](${folder}${file}.html${place})`)
    .replace('`openapi-3.0.json`', '[`openapi-3.0.json`](../openapi-3.0.json)')
    .replaceAll('](../../docs/openapi.json)', `](${folder === '' ? '../' : ''}openapi.json)`);

const importOfTabs = "import { Tabs, TabItem } from '@astrojs/starlight/components';";

const languageNames = { sh: 'Shell', ts: 'TypeScript', python: 'Python' } as const;

/** Converts code blocks that directly follow one another to tabs: they are one example in several languages. */
const withTabs = (markdown: string): string =>
  markdown.replaceAll(/(?:^```(?:sh|ts|python)\n(?:(?!```).*\n)*```\n\n?){2,}/gm, (blocks) => {
    const tabs = [...blocks.matchAll(/^```(sh|ts|python)\n(?:(?!```).*\n)*```/gm)].map(([block, language]) => {
      const label = languageNames[language as keyof typeof languageNames];
      return `<TabItem label="${label}">\n\n${block}\n\n</TabItem>`;
    });
    return `<Tabs syncKey="language">\n${tabs.join('\n')}\n</Tabs>\n\n`;
  });
