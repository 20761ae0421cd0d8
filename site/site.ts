import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { openApiText } from '../openapi/document.ts';
import { guidePage } from './guide-page.ts';
import { rotationProgram } from './inserts.ts';
import { referencePage, type TryOut } from './reference-page.ts';

export type SiteFile = { readonly mediaType: string; readonly content: string | Buffer };

const require = createRequire(import.meta.url);
const asset = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
const swaggerUi = (name: string) => readFileSync(require.resolve(`swagger-ui-dist/${name}`));

/** Guide and reference as files, by their names; complete, so that nothing of them has to be loaded from elsewhere. */
export const siteFiles = (tryOut?: TryOut): ReadonlyMap<string, SiteFile> =>
  new Map<string, SiteFile>([
    ['index.html', { mediaType: 'text/html; charset=utf-8', content: guidePage() }],
    ['reference.html', { mediaType: 'text/html; charset=utf-8', content: referencePage(tryOut) }],
    ['openapi.json', { mediaType: 'application/json', content: openApiText() }],
    ['rotate-key.ts', { mediaType: 'text/plain; charset=utf-8', content: rotationProgram() }],
    ['icon.svg', { mediaType: 'image/svg+xml', content: asset('icon.svg') }],
    ['site.css', { mediaType: 'text/css; charset=utf-8', content: asset('site.css') }],
    ['guide.css', { mediaType: 'text/css; charset=utf-8', content: asset('guide.css') }],
    ['reference.css', { mediaType: 'text/css; charset=utf-8', content: asset('reference.css') }],
    ['reference.js', { mediaType: 'text/javascript; charset=utf-8', content: asset('reference.js') }],
    ['swagger-ui.css', { mediaType: 'text/css; charset=utf-8', content: swaggerUi('swagger-ui.css') }],
    [
      'swagger-ui-bundle.js',
      { mediaType: 'text/javascript; charset=utf-8', content: swaggerUi('swagger-ui-bundle.js') },
    ],
    [
      'swagger-ui-bundle.js.LICENSE.txt',
      { mediaType: 'text/plain; charset=utf-8', content: swaggerUi('swagger-ui-bundle.js.LICENSE.txt') },
    ],
  ]);
