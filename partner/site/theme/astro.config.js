import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import starlightOpenApi, { openAPISidebarGroups } from 'starlight-openapi';

/** Of the folder that `build.ts` makes: it holds the pages and the API document, and lies at the path of its `--base`. */
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
      plugins: [
        starlightOpenApi([
          { base: 'reference', schema: './openapi.json', sidebar: { label: 'Reference', collapsed: true } },
        ]),
      ],
      sidebar: [{ label: 'Guide', items: [{ autogenerate: { directory: 'guide' } }] }, ...openAPISidebarGroups],
    }),
  ],
});
