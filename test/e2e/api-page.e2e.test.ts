import { execFile } from 'node:child_process';
import { createReadStream, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Response } from 'playwright-core';
import { closeServer, listenOnLoopback } from 'serve-stack/host';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { createApiPage } from '../../local/api-page.ts';
import { findChromium, launchChromium } from '../../local/dashboard-preview/chromium.ts';
import { copyCheckout } from '../local/main-run.ts';
import { playCases, proven } from '../support/campaign.ts';
import { companyOf, openService, type Service } from '../support/service.ts';

const chromium = findChromium();
const wide = { width: 1280, height: 900 };
const phone = { width: 390, height: 800 };
const operationPage = 'reference/operations/updateheatingcircuit.html';
/** One page of each kind. */
const pageNames = [
  ...['', '404.html', 'guide/webhooks.html', 'guide/errors.html', 'guide/client.html'],
  ...['reference.html', operationPage, 'reference/webhooks/webhookverify.html', 'try-out.html'],
];

let service: Service;
beforeAll(async () => {
  service = await openService();
  await service.local.openApiPage();
});
afterAll(() => service.close());

const urlOf = (path: string) => new URL(`/docs/${path}`, service.demo.baseUrl).href;

describe('the files of the page', () => {
  const site = '.build/site';
  const page = createApiPage(() => ({ serverUrl: '/v1', apiKey: 'the demo key' }));
  const server = createServer((incoming, outgoing) => void page.answer(incoming, outgoing));
  let host: string;
  beforeAll(async () => {
    // The first request would read the whole site, which takes longer than a connection may on a slow machine.
    await page.open();
    host = await listenOnLoopback(server);
  });
  afterAll(async () => {
    await closeServer(server);
    await page.close();
  });
  // A test that reads the whole site leaves a connection idle for so long that the server closes it.
  const get = (path: string) =>
    fetch(`http://${host}/docs${path}`, { redirect: 'manual', headers: { connection: 'close' } });

  test('are sent with their media types and without caching; other paths are not found', proven, async () => {
    for (const [name, mediaType] of [
      ['', 'text/html; charset=utf-8'],
      ['openapi.json', 'application/json'],
      ['llms.txt', 'text/plain; charset=utf-8'],
      ['guide/events.md', 'text/plain; charset=utf-8'],
      ['try-out.js', 'text/javascript; charset=utf-8'],
      ['icon.svg', 'image/svg+xml'],
      ['bruno.zip', 'application/zip'],
    ] as const) {
      const { status, headers } = await get(`/${name}?any=query`);
      expect([name, status, headers.get('content-type')]).toEqual([name, 200, mediaType]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
    }
    for (const name of ['nothing', '%2e%2e%2fpackage.json', 'theme/site.css', 'reference/operations/warmHome.html']) {
      const answer = await get(`/${name}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(await answer.text()).toContain('href="/docs/guide/first-call.html"');
    }
    for (const [name, meant] of [
      ['reference/operations/updateHeatingCircuit.html', operationPage],
      ['reference/operations/updateHeatingCircuit', operationPage],
      ['guide/events', 'guide/events.html'],
      ['reference/', 'reference.html'],
    ]) {
      const answer = await get(`/${name}`);
      expect([name, answer.status, answer.headers.get('location')]).toEqual([name, 308, `/docs/${meant}`]);
    }
    const answer = await get('');
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '/docs/']);
  });

  test('have absolute links to the address that was called, whatever its port', proven, async () => {
    for (const name of ['llms.txt', 'changelog.xml']) {
      const links = (await (await get(`/${name}`)).text()).match(/https:\/\/[^\s/]+\/docs\//g);
      expect(new Set(links)).toEqual(new Set([`https://${host}/docs/`]));
    }
    const linking = globSync('**/*.{html,md,txt,xml,json}', { cwd: site }).filter((file) =>
      readFileSync(join(site, file), 'utf8').includes('https://localhost:8443/docs/'),
    );
    expect(linking.toSorted()).toEqual(['changelog.xml', 'llms.txt']);
  });

  test('have the demo key only in the page that sends it', proven, async () => {
    const apiKey = 'the demo key';
    expect(await (await get('/try-out.html')).text()).toContain(apiKey);
    const files = globSync('**/*.*', { cwd: site }).map((file) => readFileSync(join(site, file), 'utf8'));
    expect(files.filter((text) => text.includes(apiKey))).toEqual([]);
  });

  test('link only to each other and to existing places', proven, () => {
    const texts = new Map(
      globSync('**/*.html', { cwd: site }).map((file) => [file, readFileSync(join(site, file), 'utf8')]),
    );
    expect(texts.size).toBeGreaterThan(operationIds.length);
    const ids = new Map([...texts].map(([file, html]) => [file, new Set(valuesOf(html, 'id'))]));
    const missing = [...texts].flatMap(([file, html]) =>
      [...valuesOf(html, 'href'), ...valuesOf(html, 'src')]
        .filter((link) => {
          const [path = '', place] = link.split('#');
          if (path.startsWith('/docs/try-out.html')) return false;
          const target =
            path === '' ? file : path.startsWith('/docs/') ? path.slice(6) : posix.join(dirname(file), path);
          const name = target === '' ? 'index.html' : target;
          return !existsSync(join(site, name)) || (place && !ids.get(name)?.has(decodeURIComponent(place)));
        })
        .map((link) => `${file}: ${link}`),
    );
    expect(missing).toEqual([]);
  });

  test('have no inline style, and no script that their policy does not name', proven, () => {
    for (const file of globSync('**/*.html', { cwd: site }))
      expect(readFileSync(join(site, file), 'utf8').replaceAll(/<script.*?<\/script>/gs, '')).not.toMatch(
        /<style|<[a-z][^<]*\sstyle=|<[a-z][^<]*\son\w+="/,
      );
  });
});

const valuesOf = (html: string, attribute: string) =>
  [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) =>
    value.replaceAll('&amp;', '&'),
  );

/** A browser may hang. Such a test ends in time and is repeated once, on a new page; a fault of the site fails twice. */
const inBrowser = { ...proven, timeout: 10 * 60_000, retry: 1 };

/** The set-up of the run reports a missing Chromium. */
describe.skipIf(!chromium)('the page in a browser', () => {
  let browser: Browser;
  /** Returns a context in which a wait without result ends with the test. */
  const newContext = async (options: BrowserContextOptions): Promise<BrowserContext> => {
    const opened = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
    opened.setDefaultTimeout(0);
    return opened;
  };
  let context: BrowserContext;
  let page: Page;
  /** The requests of the page, and the messages in its console. */
  let requests: string[];
  let complaints: string[];

  beforeAll(async () => {
    browser = await launchChromium(chromium ?? '');
    context = await newContext({ viewport: wide });
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    [requests, complaints] = [[], []];
    page = await context.newPage();
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterEach(() => page.close());

  const operation = (operationId: string) => page.locator(`.opblock[id$="-${operationId}"]`);

  /** Opens an operation if it is closed, and sends it unchanged; returns the service's answer. */
  const tryOut = async (operationId: string): Promise<Response> => {
    const execute = operation(operationId).getByRole('button', { name: 'Execute' });
    if (!(await execute.isVisible())) await operation(operationId).locator('.opblock-summary-control').click();
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/v1/')),
      execute.click(),
    ]);
    return answer;
  };

  const search = async (words: string): Promise<string[]> => {
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator('.pagefind-ui__search-input').fill(words);
    const links = page.locator('.pagefind-ui__result-link');
    await links.first().waitFor();
    return links.evaluateAll((found) => found.map((link) => String(Reflect.get(link, 'href'))));
  };

  test(
    'leads from the first view to calls with ids of the demo world and without optional headers; calls only the local run, and logs nothing',
    inBrowser,
    async () => {
      await page.goto(urlOf(''));
      await page.getByRole('link', { name: 'Make your first call' }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.goto(urlOf(operationPage));
      await page.getByRole('link', { name: 'Try it out in this local run' }).click();
      await operation('updateHeatingCircuit').getByRole('button', { name: 'Execute' }).waitFor();
      const request = (await tryOut('updateHeatingCircuit')).request();
      const [gateway] = companyOf(service, 'acme').gateways;
      expect(new URL(request.url()).pathname).toBe(`/v1/hvacs/${gateway?.gatewayId}/heatingCircuits/hc1`);
      expect(request.headers()['x-user-id']).toBe(companyOf(service, 'acme').userId);
      expect(request.headers()['if-match']).toBeUndefined();
      expect((await request.response())?.status()).toBe(202);

      expect((await tryOut('getHeatingCircuit')).status()).toBe(200);
      const shown = operation('getHeatingCircuit').locator('.live-responses-table');
      await shown.getByText('"circuitId": "hc1"').waitFor();
      await shown.locator('.response .response-col_status', { hasText: /^200/ }).waitFor();
      expect(await (await tryOut('listEvents')).json()).toMatchObject({ items: expect.any(Array), hasMore: false });

      expect(requests.length).toBeGreaterThan(5);
      const origin = new URL('/', urlOf('')).href;
      expect(requests.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  test('runs only its own scripts and sends only its own requests', inBrowser, async () => {
    for (const name of ['', 'try-out.html']) {
      await page.goto(urlOf(name));
      const title = await page.title();
      const violated = await page.evaluate<string[]>(`new Promise((resolve) => {
        const directives = new Set();
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          if (directives.add(effectiveDirective).size === 3) resolve([...directives]);
        });
        document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title = "mine"' }));
        new Image().src = 'https://127.0.0.1:1/';
        fetch('https://127.0.0.1:1/').catch(() => undefined);
      })`);
      expect(violated.toSorted()).toEqual(['connect-src', 'img-src', 'script-src-elem']);
      expect(await page.title()).toBe(title);
    }
  });

  test('finds words of the guide and of the reference in one search', inBrowser, async () => {
    await page.goto(urlOf(''));
    expect(await search('consent-outdated')).toContainEqual(expect.stringContaining('/docs/guide/'));
    await page.goto(urlOf('guide/events.html'));
    expect(await search('setpoint')).toContainEqual(expect.stringContaining('/docs/reference/operations/'));
    expect(complaints).toEqual([]);
  });

  test.each(['guide/webhooks.html', operationPage])(
    'has a copy button at each block of %s, and highlights it',
    inBrowser,
    async (name) => {
      await page.goto(urlOf(name));
      const blocks = await page.locator('main pre').count();
      expect(blocks).toBeGreaterThan(3);
      expect(await page.locator('main .copy button').count()).toBe(blocks);
      const colours = await page.evaluate<number>(`new Set([...document.querySelectorAll('main pre .ec-line span')]
        .map((each) => getComputedStyle(each).color)).size`);
      expect(colours).toBeGreaterThan(3);
    },
  );

  test('shows all examples in the selected language', inBrowser, async () => {
    await page.goto(urlOf('guide/changes.html'));
    await page.getByRole('tab', { name: 'Python' }).first().click();
    await page.goto(urlOf('guide/events.html'));
    const chosen = page.locator('[role="tab"][aria-selected="true"]');
    const languages = (await chosen.allTextContents()).map((text) => text.trim());
    expect([...new Set(languages)]).toEqual(['Python']);
    expect(await chosen.count()).toBeGreaterThan(1);
  });

  test('shows the answer to a call next to it, or right below it on a phone', inBrowser, async () => {
    const heading = page.getByRole('heading', { name: 'Parameters', exact: true });
    const answer = page.getByRole('region', { name: 'Response' });
    await page.goto(urlOf(operationPage));
    expect(await answer.textContent()).toMatch(/^Response\s*HTTP\/1\.1 202 Accepted/);
    const boxOf = async (part: Locator) => {
      const box = await part.boundingBox();
      if (!box) throw new Error('It is not shown.');
      return { ...box, right: box.x + box.width, bottom: box.y + box.height };
    };
    expect((await boxOf(answer)).bottom).toBeLessThan(wide.height);
    expect((await boxOf(answer)).x).toBeGreaterThan((await boxOf(heading)).right - 1);

    await page.setViewportSize(phone);
    const call = await boxOf(page.locator('.sl-openapi-operation-description'));
    expect((await boxOf(answer)).y - call.bottom).toBeLessThan(50);
    expect((await boxOf(answer)).y).toBeLessThan(phone.height);
  });

  test('the page that sends requests follows the system, and then what is chosen on the site', inBrowser, async () => {
    const view = await newContext({ viewport: wide, colorScheme: 'dark' });
    onTestFinished(() => view.close());
    const [shown, site] = [await view.newPage(), await view.newPage()];
    const scheme = () => shown.evaluate('getComputedStyle(document.documentElement).colorScheme');
    // The page is busy with its operations at first, on a slow machine for long.
    const expectScheme = (expected: string) => expect.poll(scheme, { timeout: 60_000 }).toBe(expected);
    await shown.goto(urlOf('try-out.html'));
    await expectScheme('dark');
    await shown.emulateMedia({ colorScheme: 'light' });
    await expectScheme('light');
    await site.goto(urlOf(''));
    for (const chosen of ['dark', 'light'] as const) {
      // The system prefers the other.
      await shown.emulateMedia({ colorScheme: chosen === 'dark' ? 'light' : 'dark' });
      await site.getByRole('combobox', { name: 'Select theme' }).selectOption(chosen);
      await expectScheme(chosen);
    }
  });

  test('lists the operations with their titles, in the groups of the menu', inBrowser, async () => {
    await page.goto(urlOf('reference.html'));
    const groups = await page.locator('.sl-openapi-overview-navigation-links h3').allTextContents();
    const menu = page.locator('nav details:has(> summary:has-text("Reference")) details > summary');
    expect(groups).toEqual((await menu.allTextContents()).map((text) => text.trim()));
    const [first] = await page.locator('.sl-openapi-overview-navigation-link').allTextContents();
    expect(first).toMatch(/^\s*GET\s*List API keys\s*\/api-keys\s*$/);
  });

  /** The words of a page that a line break cuts, outside of code blocks. */
  const cutWords = `(() => {
    for (const part of document.querySelectorAll('details')) part.open = true;
    const [range, found] = [document.createRange(), []];
    const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      for (const { 0: word, index } of text.parentElement.closest('pre') ? [] : text.data.matchAll(/\\p{L}+/gu)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(word);
      }
    return found;
  })()`;

  test.each([1440, 390])('breaks no word of any page, and needs no scrolling, at %i px', inBrowser, async (width) => {
    await page.setViewportSize({ width, height: 900 });
    for (const name of globSync('**/*.html', { cwd: '.build/site' })) {
      await page.goto(urlOf(name));
      const isTooWide = '(each) => each.scrollWidth > each.clientWidth';
      const found = {
        words: await page.evaluate(cutWords),
        tables: await page.evaluate(`[...document.querySelectorAll('html, main table')].filter(${isTooWide}).length`),
      };
      expect(found, name).toEqual({ words: [], tables: 0 });
    }
  });

  const views = [
    { name: 'wide', options: { viewport: wide } },
    { name: 'on a phone', options: { viewport: phone } },
    { name: 'in the dark', options: { viewport: wide, colorScheme: 'dark' } },
  ] as const;

  const expectReadable = async (pageName: string, { name, options }: (typeof views)[number]) => {
    const opened = await newContext(options);
    const shown = await opened.newPage();
    await shown.goto(urlOf(pageName));
    if (pageName === 'try-out.html') await shown.locator('.opblock').first().waitFor();
    await shown.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const isCutOff = '(each) => each.scrollWidth > each.clientWidth';
    const found = {
      scheme: await shown.evaluate('getComputedStyle(document.documentElement).colorScheme'),
      violations: await shown.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, html: nodes[0].html })))`,
      ),
      blocksCutOff: await shown.evaluate(`[...document.querySelectorAll('pre')].filter(${isCutOff}).length`),
      widthPx: await shown.evaluate('document.documentElement.scrollWidth'),
      smallestPx: await shown.evaluate(`Math.min(...[...document.querySelectorAll('p, td, a, code, li')]
        .filter((element) => element.textContent && element.checkVisibility())
        .map((element) => Number.parseFloat(getComputedStyle(element).fontSize)))`),
    };
    expect(found, `/docs/${pageName} ${name}`).toEqual({
      scheme: 'colorScheme' in options ? 'dark' : 'light',
      violations: [],
      blocksCutOff: 0,
      widthPx: expect.toSatisfy((px: number) => px <= options.viewport.width, 'at most the width of the view'),
      smallestPx: expect.toSatisfy((px: number) => px >= 12, 'at least 12 px'),
    });
    await opened.close();
  };

  test('is readable for everybody, and nothing is cut off', inBrowser, (context) => {
    const cases = pageNames.flatMap((pageName) => views.map((view) => ({ pageName, view })));
    return playCases(context, { test: 1, seconds: 300 }, cases, ({ pageName, view }) => expectReadable(pageName, view));
  });

  test('is light: the first view of the guide takes at most 300 kB, gzipped', inBrowser, async ({ annotate }) => {
    const loads: Promise<Buffer>[] = [];
    const keep = (response: Response) => loads.push(response.body());
    page.on('response', keep);
    await page.goto(urlOf('guide/first-call.html'), { waitUntil: 'networkidle' });
    page.off('response', keep);
    const sizes = (await Promise.all(loads)).map((body) => gzipSync(body).length);
    const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1000;
    await annotate(`${Math.round(kilobytes)} kB in ${sizes.length} files`);
    expect(kilobytes).toBeLessThanOrEqual(300);
  });

  test(
    'works from the folder that `npm run docs` writes, at any path, without the page that sends requests; also if node_modules is a link',
    inBrowser,
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'site-'));
      onTestFinished(() => rmSync(directory, { recursive: true }));
      const options = ['--base', 'for/partners', '--output', directory];
      const build = { cwd: copyCheckout([]), timeout: 5 * 60_000 };
      await promisify(execFile)(process.execPath, ['--run', 'docs', '--', ...options], build);
      const server = createServer(({ url = '' }, outgoing) => {
        const file = join(directory, url.replace('/for/partners/', '').replace(/\?.*/, ''));
        if (!url.startsWith('/for/partners/') || !existsSync(file)) return void outgoing.writeHead(404).end();
        const types: Readonly<Record<string, string>> = { html: 'text/html', css: 'text/css', js: 'text/javascript' };
        outgoing.setHeader('content-type', types[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
        createReadStream(file).pipe(outgoing);
      });
      const host = await listenOnLoopback(server);
      onTestFinished(() => closeServer(server));
      await page.goto(`http://${host}/for/partners/index.html`);
      await page.getByRole('link', { name: 'Reference', exact: true }).click();
      await page.waitForURL('**/for/partners/reference.html');
      await page.goto(`http://${host}/for/partners/${operationPage}`);
      expect(await page.getByText('Try it out').count()).toBe(0);
      expect(await search('rate limit')).toContainEqual(expect.stringContaining('/for/partners/guide/'));
      expect(complaints).toEqual([]);
    },
  );
});

const require = createRequire(import.meta.url);
