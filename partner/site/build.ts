import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { optionTakenByNpm } from '../../operator/cli/npm-options.ts';
import { brunoFiles } from '../openapi/bruno.ts';
import { openApiText } from '../openapi/document.ts';
import { openApi30Text } from '../openapi/openapi-3.0.ts';
import { changeFeed } from './change-log.ts';
import { programNames, programText } from './chapters.ts';
import { harden } from './harden.ts';
import { indexForModels, wholeForModels } from './models.ts';
import { menu, notFoundPage, type Operator, pages } from './pages.ts';
import { operationPages, referenceDocument, shownOperations } from './reference.ts';
import { securityPolicy, securityText } from './security.ts';
import { tryOutPage } from './try-out/page.ts';
import { urlOption } from './url-option.ts';
import { zipOf } from './zip.ts';

type SiteOptions = {
  /** The output folder, which is replaced. It must not exist, be empty, or contain a previous build of the site. */
  readonly directory: string;
  /** The path under which a web server serves the site; it begins and ends with a slash. */
  readonly base: string;
  /** The origin of that web server, for absolute links in `llms.txt`, the feed and `security.txt`. */
  readonly origin: string;
  readonly operator: Operator;
  /** The URL for reports of vulnerabilities; without it, the site has no `security.txt`. */
  readonly securityContact: string | undefined;
  /** Whether the operations of the reference link to a page that sends requests. */
  readonly hasTryOut: boolean;
};

const repository = resolve(import.meta.dirname, '../..');
const theme = join(import.meta.dirname, 'theme');

/**
 * `npm run docs`: builds guide and reference as one HTML site, with the Markdown of each page, the files for programs
 * (`llms.txt`, the change feed, `security.txt`), the API document and the collection for Bruno. The site loads nothing from
 * other origins.
 */
const buildSite = async (options: SiteOptions): Promise<void> => {
  const { directory, base, origin, operator, securityContact, hasTryOut } = options;
  if (existsSync(directory) && !existsSync(join(directory, 'llms.txt')) && readdirSync(directory).length > 0)
    throw new Error(`${directory} exists and is not a site that this command built. Specify an empty or new folder.`);
  const url = origin + base;
  // Beside the packages, also if `node_modules` is a link: Astro accepts no package that has only the root folder in common with it.
  const buildDirectory = join(realpathSync(join(repository, 'node_modules')), '../.build');
  mkdirSync(buildDirectory, { recursive: true });
  const workshop = mkdtempSync(join(buildDirectory, 'workshop-'));
  try {
    const written = pages(operator);
    writeAll(workshop, {
      ...Object.fromEntries(written.map(({ name, mdx }) => [`src/content/docs/${name}.mdx`, mdx])),
      'src/content/docs/404.mdx': notFoundPage(base),
      'src/menu.json': JSON.stringify(menu()),
      'src/ranking.json': JSON.stringify(ranking),
      'src/operations.json': JSON.stringify(shownOperations()),
    });
    for (const [file, place] of [
      ['astro.config.js', '.'],
      ['ec.config.mjs', '.'],
      ['content.config.js', 'src'],
      ['site.css', 'src'],
      ['reference-pages.js', 'src'],
      ['MarkdownContent.astro', 'src'],
      ['icon.svg', 'public'],
    ] as const)
      cpSync(join(theme, file), join(workshop, place, file));
    const document = await offer(JSON.stringify(referenceDocument(hasTryOut ? base + tryOutPage : undefined)));
    await runAstro(workshop, base, document.url).finally(document.withdraw);
    const site = join(workshop, 'dist');
    writeAll(site, {
      ...Object.fromEntries([...written, ...operationPages()].map(({ name, markdown }) => [`${name}.md`, markdown])),
      ...Object.fromEntries(programNames.map((name) => [`guide/${name}`, programText(name)])),
      'llms.txt': indexForModels(url, operator),
      'llms-full.txt': wholeForModels(operator),
      'changelog.xml': changeFeed(url, Date.now()),
      'security.md': securityPolicy(),
      ...(securityContact !== undefined && {
        '.well-known/security.txt': securityText(url, securityContact, Date.now()),
      }),
      'openapi.json': openApiText(),
      'openapi-3.0.json': openApi30Text(),
      'bruno.zip': zipOf(brunoFiles()),
    });
    harden(site, base);
    rmSync(directory, { recursive: true, force: true });
    cpSync(site, directory, { recursive: true });
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
};

const writeAll = (directory: string, files: Readonly<Record<string, string | Buffer>>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
};

/** Serves the API document on the loopback address until `withdraw`. */
const offer = async (document: string) => {
  const server = createServer((_, answer) => answer.setHeader('content-type', 'application/json').end(document));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/openapi.json`, withdraw: () => void server.close().closeAllConnections() };
};

const runAstro = async (root: string, base: string, documentUrl: string): Promise<void> => {
  const astro = resolve(repository, 'node_modules/astro/bin/astro.mjs');
  const run = promisify(execFile)(process.execPath, [astro, 'build', '--root', root, '--base', base], {
    // Passes no other variables, because Astro interprets some, such as MODE and BASE_URL.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      ASTRO_TELEMETRY_DISABLED: '1',
      API_DOCUMENT_URL: documentUrl,
      CHANGE_FEED: `${base}changelog.xml`,
    },
  });
  // SIGTERM also ends Astro, and the caller then deletes the temporary folder.
  const stop = () => void run.child.kill();
  process.once('SIGTERM', stop);
  await run
    .catch(({ stdout, stderr }) => {
      throw new Error(`Astro could not build the site. Its output:\n${stdout}${stderr}`);
    })
    .finally(() => process.off('SIGTERM', stop));
};

/** The ranking of the search, also of its test: long pages rank like short ones, whole words rank above parts of words. */
export const ranking = { pageLength: 0.1, termFrequency: 0.1, termSaturation: 2, termSimilarity: 9 };

const ofPeople = ['https:', 'mailto:', 'tel:'];

const options = {
  base: { type: 'string', default: '/docs/' },
  output: { type: 'string', default: '.build/docs' },
  origin: { type: 'string', default: 'https://localhost:8443' },
  contact: { type: 'string' },
  'status-url': { type: 'string' },
  'security-contact': { type: 'string' },
  'try-out': { type: 'boolean', default: false },
} as const;

const run = async (): Promise<string> => {
  const taken = optionTakenByNpm(Object.keys(options), process.argv);
  if (taken !== undefined) throw new Error(taken);
  const { values } = parseArgs({ options });
  const base = `/${values.base.replaceAll(/^\/+|\/+$/g, '')}/`.replace('//', '/');
  const directory = resolve(values.output);
  await buildSite({
    directory,
    base,
    origin: new URL(urlOption('origin', values.origin, ['https:', 'http:'])).origin,
    operator: {
      contact: urlOption('contact', values.contact, ofPeople),
      statusUrl: urlOption('status-url', values['status-url'], ['https:']),
    },
    securityContact: urlOption('security-contact', values['security-contact'], ofPeople),
    hasTryOut: values['try-out'],
  });
  return `Guide and reference: ${directory}. Any web server can serve this folder at the path ${base}.`;
};

if (import.meta.main)
  await run().then(console.log, (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
