import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { openApiText } from '../openapi/document.ts';
import { programNames, programText } from './chapters.ts';
import { guidePage, referencePage, type TryOut } from './pages.ts';

export type SiteFile = { readonly mediaType: string; readonly content: string | Buffer };

/** Guide and reference as files by name. They are complete: a page loads nothing from elsewhere. */
export const siteFiles = (tryOut?: TryOut): ReadonlyMap<string, SiteFile> =>
  new Map([
    file('index.html', guidePage()),
    file('reference.html', referencePage(tryOut)),
    file('openapi.json', openApiText()),
    ...programNames.map((name) => file(name, programText(name))),
    ...['icon.svg', 'site.css', 'guide.css', 'reference.css', 'reference.js'].map((name) => file(name, asset(name))),
    ...['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'].map((name) =>
      file(name, swaggerUi(name)),
    ),
  ]);

const mediaTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** A file with its media type; a file that no browser interprets is plain text. */
const file = (name: string, content: string | Buffer): [string, SiteFile] => {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  return [name, { mediaType: mediaTypes[extension] ?? 'text/plain; charset=utf-8', content }];
};

const asset = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url));

const require = createRequire(import.meta.url);
const swaggerUi = (name: string) => readFileSync(require.resolve(`swagger-ui-dist/${name}`));

/** `npm run docs`: writes the page to a folder that any web server can hand out. */
if (import.meta.main) {
  const directory = resolve('.build/docs');
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const [name, { content }] of siteFiles()) writeFileSync(join(directory, name), content);
  console.log(`The API page: ${join(directory, 'index.html')}. Any web server can hand out this folder.`);
}
