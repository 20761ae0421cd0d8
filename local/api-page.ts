import { globSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { type TryOut, tryOutFiles } from '../partner/site/try-out/page.ts';
import { buildIfStale, hashOfFiles, root, runProgram } from './build.ts';

/** No stage of the API has this name. */
export const apiPagePath = '/docs';

export const isForApiPage = (url = ''): boolean => new RegExp(`^${apiPagePath}(?:[/?]|$)`).test(url);

/** Adds to the policies that stand in the pages themselves: nobody may put them into a frame, and no browser guesses what they are. */
const securityHeaders = {
  'Content-Security-Policy': "frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/**
 * Serves guide and reference, of the same origin as the API, and a page there that sends what a reader tries. The site is
 * made when it is first asked for, which takes some seconds, and again if its sources have changed since the last run.
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
  const answer = async ({ url = '' }: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const [path = ''] = url.split('?');
    if (path === apiPagePath) return void outgoing.writeHead(308, { Location: `${apiPagePath}/` }).end();
    const site = await open().catch((error: Error) => error);
    if (site instanceof Error)
      return void outgoing.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${site.message}\n`);
    const name = path.slice(`${apiPagePath}/`.length) || 'index.html';
    const content = site.get(name);
    if (!content) return void outgoing.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such page.\n');
    outgoing.writeHead(200, { ...securityHeaders, 'Content-Type': mediaTypeOf(name) }).end(content);
  };
  const close = async (): Promise<void> => {
    closing.abort();
    await opening?.catch(() => undefined);
  };
  return { answer, open, close };
};

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.xml': 'application/atom+xml; charset=utf-8',
  '.pagefind': 'application/octet-stream',
};

/** A file that no browser interprets is plain text. */
const mediaTypeOf = (name: string): string => mediaTypes[extname(name)] ?? 'text/plain; charset=utf-8';

const siteFolder = join(root, '.build/site');

/** By name. */
type SiteFiles = ReadonlyMap<string, string | Buffer>;

/** All files in memory: another run may build the folder anew. */
const readSite = (tryOut: TryOut): SiteFiles => {
  const names = globSync('**/*.*', { cwd: siteFolder });
  return new Map<string, string | Buffer>([
    ...names.map((name) => [name, readFileSync(join(siteFolder, name))] as const),
    ...tryOutFiles(tryOut),
  ]);
};

/** What the pages follow from. */
export const siteInputs = [
  '{partner,lambdas}/**/*.{ts,js,json,md,css,svg,py}',
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs/local-run.md', 'package-lock.json'],
];

/** Builds the site of the local run unless its inputs are unchanged. */
export const buildSiteIfStale = (signal?: AbortSignal): Promise<void> =>
  buildIfStale(siteFolder, hashOfFiles(siteInputs), (output) => {
    const options = ['--base', apiPagePath, '--output', output, '--try-out'];
    const build = join(root, 'partner/site/build.ts');
    return runProgram('The build of guide and reference', process.execPath, [build, ...options], {
      // The first calls are made meanwhile.
      isInBackground: true,
      ...(signal && { signal }),
    });
  });
