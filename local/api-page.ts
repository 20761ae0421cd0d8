import type { IncomingMessage, ServerResponse } from 'node:http';
import { contentSecurityPolicy, type TryOut } from '../partner/site/pages.ts';
import { siteFiles } from '../partner/site/site.ts';

/** No stage of the API has this name. */
export const apiPagePath = '/docs';

export const isForApiPage = (url = ''): boolean => new RegExp(`^${apiPagePath}(?:[/?]|$)`).test(url);

/** Adds to what stands in the pages themselves: nobody may put them into a frame, and no browser guesses what they are. */
const securityHeaders = {
  'Content-Security-Policy': `${contentSecurityPolicy}; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/**
 * Serves guide and reference, of the same origin as the API, so that the reference can send what a reader tries. They are
 * made when they are first asked for; most runs never are.
 */
export const createApiPage = (tryOut: () => TryOut) => {
  let files: ReturnType<typeof siteFiles> | undefined;
  return ({ url = '' }: IncomingMessage, outgoing: ServerResponse): void => {
    const [path = ''] = url.split('?');
    if (path === apiPagePath) return void outgoing.writeHead(308, { Location: `${apiPagePath}/` }).end();
    files ??= siteFiles(tryOut());
    const file = files.get(path.slice(`${apiPagePath}/`.length) || 'index.html');
    if (!file) return void outgoing.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such page.\n');
    outgoing.writeHead(200, { ...securityHeaders, 'Content-Type': file.mediaType }).end(file.content);
  };
};
