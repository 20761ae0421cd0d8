import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ranking } from '../../partner/site/build.ts';

const index = pathToFileURL(join(resolve('.build/site/pagefind'), '/'));

type Found = {
  readonly url: string;
  readonly sub_results: readonly { readonly url: string }[];
};
type Pagefind = {
  readonly options: (options: object) => Promise<void>;
  readonly search: (words: string) => Promise<{ readonly results: readonly { readonly data: () => Promise<Found> }[] }>;
};

/** The search of the site, which the global setup has built. Its program loads the index with `fetch`, as in a browser. */
let pagefind: Pagefind;
beforeAll(async () => {
  vi.stubGlobal('fetch', async (url: string) => {
    const { pathname } = new URL(url, index);
    return new Response(readFileSync(fileURLToPath(new URL(`file://${pathname}`))));
  });
  pagefind = await import(new URL('pagefind.js', index).href);
  await pagefind.options({ basePath: index.href, baseUrl: '/', ranking });
});
afterAll(() => vi.unstubAllGlobals());

/** Returns the first pages of a search result, with the sections found. */
const find = async (words: string, count: number) => {
  const { results } = await pagefind.search(words);
  return Promise.all(results.slice(0, count).map((result) => result.data()));
};

test.each([
  ['vacation', 'guide/overrides'],
  ['holiday', 'guide/overrides'],
  ['boost', 'guide/overrides'],
  ['pagination', 'guide/pagination'],
  ['authentication', 'guide/authentication'],
  ['login', 'guide/authentication'],
  ['oauth', 'guide/authentication'],
  ['allowlist', 'guide/authentication'],
  ['api key', 'guide/api-keys'],
  ['rotate key', 'guide/api-keys'],
  ['leaked key', 'guide/api-keys'],
  ['SDK', 'guide/client'],
  ['client library', 'guide/client'],
  ['python', 'guide/client'],
  ['CORS', 'guide/security'],
  ['browser', 'guide/security'],
  ['security', 'guide/security'],
  ['changelog', 'guide/versions'],
  ['change log', 'guide/versions'],
  ['versioning', 'guide/versions'],
  ['deprecation', 'guide/versions'],
  ['idempotency', 'guide/idempotency'],
  ['rate limit', 'guide/rate-limits'],
  ['429', 'guide/rate-limits'],
  ['webhook signature', 'guide/webhooks'],
  ['hmac', 'guide/webhooks'],
  ['polling', 'guide/events'],
  ['sandbox', 'guide/demo-world'],
  ['testing', 'guide/demo-world'],
  ['error', 'guide/errors'],
  ['consent-outdated', 'guide/errors'],
  ['etag', 'guide/changes'],
  ['energy', 'guide/energy'],
  ['outdoor temperature', 'guide/measurements'],
  ['water pressure', 'guide/measurements'],
  ['owner', 'guide/owners'],
  ['go live', 'guide/checklist'],
  ['usage', 'reference/operations/getusage'],
  ['schedule', 'guide/changes'],
  ['thermostat', 'guide/changes'],
  ['offline', 'guide/changes'],
  ['setpoint', 'guide/changes'],
  ['pending', 'guide/changes'],
  ['heating curve', 'guide/changes'],
  ['if-match', 'guide/changes'],
  ['postman', 'guide/demo-world'],
  ['mock', 'guide/demo-world'],
  ['test', 'guide/demo-world'],
  ['poll', 'guide/events'],
  ['cursor', 'guide/events'],
  ['home assistant', 'guide/authentication'],
  ['ip address', 'guide/authentication'],
  ['mobile app', 'guide/security'],
  ['status page', 'guide/monitoring'],
  ['probe', 'guide/monitoring'],
  ['451', 'guide/consent'],
  ['temperature', 'guide/measurements'],
  ['heat pump', 'guide/measurements'],
  ['electricity', 'guide/energy'],
  ['time zone', 'guide/energy'],
  ['retry', 'guide/rate-limits'],
  ['timeout', 'guide/client'],
  ['openapi', 'guide/client'],
  ['typescript', 'guide/client'],
  ['proxy', 'guide/client'],
  ['concurrency', 'guide/idempotency'],
])('who searches for "%s" finds the page %s first', async (words, page) => {
  const [first] = await find(words, 1);
  expect(first?.url).toBe(`/${page}.html`);
});

test('a search for the signature of webhooks leads to the section about it', async () => {
  const [first] = await find('webhook signature', 1);
  expect(first?.sub_results.map(({ url }) => url)).toContain('/guide/webhooks.html#check-the-signature');
});

test.each(['201', '401', 'key', 'header', 'authentication'])(
  'a search for "%s" finds no status code of the reference as a section',
  async (words) => {
    const places = (await find(words, 100)).flatMap(({ sub_results }) => sub_results.map(({ url }) => url));
    expect(places.length).toBeGreaterThan(0);
    expect(places.filter((url) => /^\/reference\/.*#(?:\d{3}|headers)$/.test(url))).toEqual([]);
  },
);
