// The server behind the pages of a portal: node portal-server.ts listens on port PORT, or 9920, of this machine, and calls the API
// at BASE_URL. KEYS_FOLDER, or `keys`, has one file for each company: <company>.key. A key never leaves this process.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';

/** What a page may request, and the request to the API that it becomes. */
const routes: readonly (readonly [request: RegExp, path: string])[] = [
  [/^GET \/keys$/, '/api-keys'],
  [/^DELETE \/keys\/([\w-]+)$/, '/api-keys/$1'],
  [/^GET \/usage$/, '/usage?by=hour'],
  [/^GET \/changes$/, '/audit'],
  [/^GET \/webhooks$/, '/webhooks'],
  [/^GET \/webhooks\/([\w-]+)\/attempts$/, '/webhooks/$1/attempts'],
  [/^POST \/webhooks\/([\w-]+)\/test$/, '/webhooks/$1/test'],
  [/^DELETE \/webhooks\/([\w-]+)$/, '/webhooks/$1'],
];

/** Returns the company of a session. Replace it with your sessions; here a file has a line for each session: its token, its company. */
const companyOf = ({ headers: { cookie = '' } }: IncomingMessage): string | undefined => {
  const [, token] = /(?:^|; )session=([\w-]+)/.exec(cookie) ?? [];
  const lines = readText(process.env.SESSIONS_FILE ?? 'sessions').split('\n');
  const sessions = lines.map((line) => line.split(/[\s'"]+/).filter(Boolean));
  return sessions.find(([known]) => token !== undefined && known === token)?.[1];
};

/** Reads what editors on Windows write, too: a mark at the beginning, and a carriage return in each line. */
const readText = (file: string): string => {
  const text = readFileSync(file, 'utf8');
  if (text.includes('\0')) throw new Error(`${file} is saved as UTF-16. Save it as UTF-8.`);
  return text.trim();
};

/** Another site can make a browser send a request with the session's cookie, but not as a request of this site. */
const isOfThisSite = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' || headers['sec-fetch-site'] === 'same-origin';

type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

const answerTo = async (request: IncomingMessage): Promise<Answer> => {
  const company = companyOf(request);
  if (company === undefined) return { status: 401 };
  if (!isOfThisSite(request)) return { status: 403 };
  const line = `${request.method} ${request.url}`;
  const [pattern, path] = routes.find(([pattern]) => pattern.test(line)) ?? [];
  if (!pattern || path === undefined) return { status: 404 };
  const file = join(process.env.KEYS_FOLDER ?? 'keys', `${company}.key`);
  const key = readText(file).replaceAll(/['"]/g, '');
  // An error of fetch would quote the key, and the log would show it.
  if (!/^[!-~]+$/.test(key)) throw new Error(`${file} must contain one line: an API key.`);
  const response = await fetch(`${process.env.BASE_URL}${line.replace(pattern, path)}`, {
    method: `${request.method}`,
    headers: { 'x-api-key': key },
    signal: AbortSignal.timeout(10_000),
  });
  const kept = ['content-type', 'retry-after', 'x-request-id'].flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { status: response.status, headers: Object.fromEntries(kept), body: await response.text() };
};

createServer(async (request, response) => {
  const { status, headers, body } = await answerTo(request).catch((error): Answer => {
    console.error(error);
    return { status: 502 };
  });
  response.writeHead(status, { ...headers, 'cache-control': 'no-store' }).end(body);
}).listen(Number(process.env.PORT ?? 9920), '127.0.0.1');
