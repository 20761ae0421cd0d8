import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { UserFacingError } from 'serve-stack';
import { apartFromTerminal, endWithThisProcess, stopChild } from 'serve-stack/host';
import { type TryOut, tryOutFiles, tryOutPage } from '../partner/site/try-out/page.ts';
import { hashOfFiles, root } from './synthesis.ts';

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
  const builder = createSiteBuilder();
  let opening: Promise<Site> | undefined;
  const open = () => {
    opening ??= builder.buildIfStale().then((directory) => openSite(directory, tryOut()));
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
    const content = site(name);
    if (!content) return void outgoing.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such page.\n');
    outgoing.writeHead(200, { ...securityHeaders, 'Content-Type': mediaTypeOf(name) }).end(content);
  };
  return { answer, open, close: builder.stop };
};

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
  '.pagefind': 'application/octet-stream',
};

/** A file that no browser interprets is plain text. */
const mediaTypeOf = (name: string): string => mediaTypes[extname(name)] ?? 'text/plain; charset=utf-8';

/** Gives the content of a file by its name, and nothing if there is none. */
type Site = (name: string) => string | Buffer | undefined;

/** In memory: another run may build the site anew. */
const openSite = (directory: string, tryOut: TryOut): Site => {
  const names = globSync('**/*.*', { cwd: directory });
  const files = new Map<string, string | Buffer>([
    ...names.map((name) => [name, readFileSync(join(directory, name))] as const),
    ...tryOutFiles(tryOut),
  ]);
  return (name) => files.get(name);
};

/** What the pages follow from. */
const inputs = [
  '{partner,lambdas}/**/*.{ts,js,json,md,mdx,css,svg,py}',
  ...['README.md', 'CHANGELOG.md', 'package-lock.json'],
];

/** Builds the site of the local run. */
export const createSiteBuilder = () => {
  let child: ChildProcess | undefined;
  let isStopped = false;
  /** Does so unless the inputs are unchanged; resolves to the folder. */
  const buildIfStale = async (): Promise<string> => {
    const directory = join(root, '.build/site');
    const hash = hashOfFiles(inputs);
    // Written last, so a build that was broken off leaves none.
    const madeFrom = join(directory, 'inputs.sha256');
    if (isStopped || (existsSync(madeFrom) && readFileSync(madeFrom, 'utf8') === hash)) return directory;
    const options = ['--base', apiPagePath, '--output', directory, '--try-out-page', tryOutPage];
    child = spawn(process.execPath, [join(root, 'partner/site/build.ts'), ...options], {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...apartFromTerminal,
    });
    endWithThisProcess(child);
    let output = '';
    child.stderr?.setEncoding('utf8').on('data', (part) => {
      output += part;
    });
    const [exitCode] = await once(child, 'close');
    if (isStopped) return directory;
    if (exitCode !== 0) throw new UserFacingError(`Guide and reference could not be built. It said:\n${output.trim()}`);
    writeFileSync(madeFrom, hash);
    return directory;
  };
  const stop = async (): Promise<void> => {
    isStopped = true;
    if (child) await stopChild(child);
  };
  return { buildIfStale, stop };
};
