import { globSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { type TryOut, tryOutFiles } from '../partner/site/try-out/page.ts';
import { buildIfStale, hashOfFiles, root, runProgram } from './build.ts';

/** Cannot conflict with a path of the API, since no stage has this name. */
export const apiPagePath = '/docs';

export const isForApiPage = (url = ''): boolean => new RegExp(`^${apiPagePath}(?:[/?]|$)`).test(url);

/** Adds to the policies in the pages themselves: forbids framing, content sniffing and caching. */
const securityHeaders = {
  'Content-Security-Policy': "frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/**
 * Serves the guide, the reference and a page that sends a reader's requests, from the same origin as the API. The first
 * request builds the site, which takes some seconds, unless its sources are unchanged since the last build.
 */
export const createApiPage = (tryOut: () => TryOut) => {
  const closing = new AbortController();
  let opening: Promise<SiteFiles> | undefined;
  const open = (): Promise<SiteFiles> => {
    opening ??= buildSiteIfStale(closing.signal).then(() => readSite(tryOut()));
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };
  const answer = async ({ url = '', headers }: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const [path = ''] = url.split('?');
    if (path === apiPagePath) return void outgoing.writeHead(308, { Location: `${apiPagePath}/` }).end();
    const site = await open().catch((error: Error) => error);
    if (site instanceof Error)
      return void outgoing.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${site.message}\n`);
    const name = path.slice(`${apiPagePath}/`.length) || 'index.html';
    const content = site.get(name);
    if (!content) {
      const similar = similarName(name, site);
      if (similar !== undefined) return void outgoing.writeHead(308, { Location: `${apiPagePath}/${similar}` }).end();
      outgoing.writeHead(404, { ...securityHeaders, 'Content-Type': mediaTypeOf('404.html') });
      return void outgoing.end(site.get('404.html'));
    }
    outgoing.writeHead(200, { ...securityHeaders, 'Content-Type': mediaTypeOf(name) });
    outgoing.end(filesWithOrigin.includes(name) ? linkedTo(originOf(headers.host), content) : content);
  };
  const close = async (): Promise<void> => {
    closing.abort();
    await opening?.catch(() => undefined);
  };
  return { answer, open, close };
};

/** Returns the file that a reader means by a name with capitals, as operation ids have, or without `.html`. */
const similarName = (name: string, site: SiteFiles): string | undefined => {
  const page = name.toLowerCase().replace(/\/$/, '');
  return [page, `${page}.html`].find((each) => site.has(each));
};

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.xml': 'application/atom+xml; charset=utf-8',
  '.zip': 'application/zip',
  '.pagefind': 'application/octet-stream',
};

/** Files that browsers do not interpret are served as plain text. */
const mediaTypeOf = (name: string): string => mediaTypes[extname(name)] ?? 'text/plain; charset=utf-8';

/** The origin for which the site is built. */
const builtOrigin = 'https://localhost:8443';

/** The files with absolute links. They link to the address that the reader called, since the port of a run is an option. */
const filesWithOrigin: readonly string[] = ['llms.txt', 'changelog.xml'];

const linkedTo = (origin: string, content: string | Buffer): string =>
  content.toString().replaceAll(builtOrigin, origin);

const originOf = (host: string | undefined): string => {
  const url = `https://${host}`;
  return host !== undefined && URL.canParse(url) ? new URL(url).origin : builtOrigin;
};

const siteFolder = join(root, '.build/site');

/** File contents by path within the site. */
type SiteFiles = ReadonlyMap<string, string | Buffer>;

/** Reads all files into memory, because another run may rebuild the folder. */
const readSite = (tryOut: TryOut): SiteFiles => {
  const names = globSync('**/*.*', { cwd: siteFolder });
  return new Map<string, string | Buffer>([
    ...names.map((name) => [name, readFileSync(join(siteFolder, name))] as const),
    ...tryOutFiles(tryOut),
  ]);
};

/** The sources of the pages. */
export const siteInputs = [
  '{partner,lambdas}/**/*.{ts,js,json,md,css,svg,py}',
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs/local-run.md', 'package-lock.json'],
];

/** Builds the site of the local run unless its inputs are unchanged. */
export const buildSiteIfStale = (signal?: AbortSignal): Promise<void> =>
  buildIfStale(siteFolder, hashOfFiles(siteInputs), (output) => {
    const options = ['--base', apiPagePath, '--output', output, '--origin', builtOrigin, '--try-out'];
    const build = join(root, 'partner/site/build.ts');
    return runProgram('The build of guide and reference', process.execPath, [build, ...options], {
      // The user makes the first calls while the site builds.
      isInBackground: true,
      ...(signal && { signal }),
    });
  });
