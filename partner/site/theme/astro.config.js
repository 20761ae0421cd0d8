import { readFileSync } from 'node:fs';
import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import starlightOpenApi, { openAPISidebarGroups } from 'starlight-openapi';

/** What `build.ts` has written: the groups of chapters, and how the search weighs what it finds. */
const [menu, ranking] = ['menu', 'ranking'].map((name) =>
  JSON.parse(readFileSync(new URL(`src/${name}.json`, import.meta.url), 'utf8')),
);

/**
 * Of the folder that `build.ts` makes: it holds the pages, and lies at the path of its `--base`. The API document comes from a
 * URL, because the plugin cannot open a file whose path has a space or a character that is not ASCII.
 */
export default defineConfig({
  cacheDir: './cache',
  build: { format: 'file', inlineStylesheets: 'never' },
  vite: {
    build: { assetsInlineLimit: 0 },
    // Its version is the theme's own, and not the one that stands beside it.
    environments: { prerender: { resolve: { noExternal: ['js-yaml'] } } },
  },
  integrations: [
    starlight({
      title: 'Partner API',
      favicon: '/icon.svg',
      customCss: ['./src/site.css'],
      head: [
        {
          tag: 'link',
          attrs: { rel: 'alternate', type: 'application/atom+xml', title: 'Changes', href: process.env.CHANGE_FEED },
        },
      ],
      plugins: [
        starlightOpenApi([
          { base: 'reference', schema: process.env.API_DOCUMENT_URL, sidebar: { label: 'Reference', collapsed: true } },
        ]),
      ],
      components: { MarkdownContent: './src/MarkdownContent.astro' },
      pagefind: { ranking },
      sidebar: [...menu, ...openAPISidebarGroups],
    }),
  ],
});
