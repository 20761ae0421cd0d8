import { type ClientOptions, createPartnerClient } from '../../../partner/client/partner-client.ts';

export const apiKey = `xHCSAPI_acme_20360915T120000Z_f3QnT7wLx0RkVb2Z_${'0'.repeat(49)}`;

export type Sent = { readonly url: string; readonly init: RequestInit; readonly headers: Headers };

/** The result of a request: an answer, or a failed connection. */
export type Scripted = Response | Error | ((sent: Sent) => Response);

/** A client of a service with scripted answers, the last of which repeats. Its waits take no time. */
export const scriptedClient = (script: readonly Scripted[], options: Partial<ClientOptions> = {}) => {
  const sent: Sent[] = [];
  const waitedSeconds: number[] = [];
  const client = createPartnerClient({
    baseUrl: 'https://api.example.com/v1',
    apiKey,
    userId: 'owner-4711',
    fetch: async (url, init = {}) => {
      const request = { url: String(url), init, headers: new Headers(init.headers) };
      sent.push(request);
      if (sent.length > 40) throw new RangeError('The request is sent again without end.');
      const next = script[Math.min(sent.length, script.length) - 1] as Scripted;
      if (next instanceof Error) throw next;
      return next instanceof Response ? next.clone() : next(request);
    },
    wait: async (seconds) => {
      waitedSeconds.push(seconds);
    },
    ...options,
  });
  return { client, sent, waitedSeconds };
};

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

export const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  json(
    status,
    { code, status, title: 'A title', detail: 'A detail.', requestId: 'r' },
    {
      'content-type': 'application/problem+json',
      ...headers,
    },
  );

type FeedPage = { types?: readonly string[]; next: string; hasMore?: boolean; withheld?: number };

/** Returns a page of the feed. The id of an event is the next cursor and the position in the page: `b.0`. */
export const feedPage = ({ types = [], next, hasMore = false, withheld = 0 }: FeedPage, seconds = '7') => {
  const items = types.map((type, index) => ({
    id: `${next}.${index}`,
    type,
    at: '2036-03-10T12:00:00Z',
    resource: '/contract',
    data: {},
  }));
  return json(200, { items, nextCursor: next, hasMore, withheld }, { 'x-poll-interval': seconds });
};

/** The answer to a cursor whose next events are deleted; the feed continues at the cursor `old`. */
export const expiredCursor = json(
  410,
  { code: 'cursor-expired', status: 410, title: 'A title', detail: 'A detail.', oldestCursor: 'old' },
  { 'content-type': 'application/problem+json' },
);

/** The error of fetch for a failed connection; Node.js has the reason in `cause`. */
export const lostConnection = (cause?: { readonly code: string }) =>
  new TypeError('fetch failed', cause && { cause: Object.assign(new Error('A reason'), cause) });
