import { readFileSync } from 'node:fs';
import { chapterGroups, readChapters } from './chapters.ts';
import { withoutMarks } from './markdown.ts';

export type Page = {
  /** The path within the site, without a file extension. */
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
  /** The MDX for the site generator, with the languages of an example as tabs. */
  readonly mdx: string;
};

/** Returns the landing page and the chapters of the guide. */
export const pages = (): Page[] => [
  landingPage(),
  ...readChapters().map(({ name, title, markdown }) => ({
    name: `guide/${name}`,
    title,
    markdown,
    mdx: [frontMatterOf({ title }), importOfTabs, withTabs(withLinks(markdown.replace(/^# .*\n/, '')))].join('\n\n'),
  })),
];

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

const landingPage = (): Page => {
  const markdown = withoutMarks(readFileSync(new URL('../guide/index.md', import.meta.url), 'utf8'));
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
            { text: 'Start', link: 'guide/first-call.html', icon: 'right-arrow' },
            { text: 'Reference', link: 'reference.html', variant: 'minimal' },
          ],
        },
      }),
      importOfTabs,
      // The landing page is one folder above the chapters.
      withTabs(withLinks(rest.join('\n\n'), 'guide/')).replace('../../docs/openapi.json', 'openapi.json'),
    ].join('\n\n'),
  };
};

const frontMatterOf = (values: object): string =>
  ['---', ...Object.entries(values).map(([name, value]) => `${name}: ${JSON.stringify(value)}`), '---'].join('\n');

/** Converts links between Markdown files, which work in the repository, to links between pages. Adds one to a file of the site. */
const withLinks = (markdown: string, folder = ''): string =>
  markdown
    .replaceAll(/\]\(([\w-]+)\.md(#[^)]*)?\)/g, (_, file, place = '') => `](${folder}${file}.html${place})`)
    .replace('`openapi-3.0.json`', '[`openapi-3.0.json`](../openapi-3.0.json)');

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
