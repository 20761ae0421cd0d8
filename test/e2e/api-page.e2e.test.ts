import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { findChromium, launchChromium } from '../../local/rehearsal/chromium.ts';
import { apiDocument } from '../support/api-document.ts';
import { campaign, provenTest } from '../support/campaign.ts';
import { companyOf, openService, type Service } from '../support/service.ts';

const chromium = findChromium();
const desktop = { width: 1280, height: 900 };
const phone = { width: 375, height: 700 };

/** The set-up of the run says so where there is none. */
describe.skipIf(!chromium)('the API page in a browser', () => {
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** What the page has asked for, and what its console says that nobody should have to read. */
  let requests: string[];
  let complaints: string[];

  beforeAll(async () => {
    [service, browser] = await Promise.all([openService(), launchChromium(chromium ?? '')]);
    context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: desktop });
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });
  beforeEach(async () => {
    [requests, complaints] = [[], []];
    page = await context.newPage();
    // What never comes ends with the test.
    page.setDefaultTimeout(0);
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterEach(() => page.close());

  const urlOf = (path: string) => new URL(path, service.demo.baseUrl).href;

  const operation = (operationId: string) => page.locator(`.opblock[id$="-${operationId}"]`);

  /** Opens an operation and sends it as it stands there; gives the service's answer. */
  const tryOut = async (operationId: string): Promise<Response> => {
    await operation(operationId).locator('.opblock-summary-control').click();
    await operation(operationId).getByRole('button', { name: 'Try it out' }).click();
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/v1/')),
      operation(operationId).getByRole('button', { name: 'Execute' }).click(),
    ]);
    return answer;
  };

  provenTest('asks nobody but the local run, and has nothing to complain of', campaign, async () => {
    await page.goto(urlOf('/docs'));
    expect(page.url()).toBe(urlOf('/docs/'));
    await page.getByRole('link', { name: 'Reference', exact: true }).click();
    await page.locator('.opblock').first().waitFor();
    await tryOut('getContract');
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.filter((url) => !url.startsWith(urlOf('/')) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  provenTest('lets no script run and no request out that is not its own', campaign, async () => {
    const answer = await page.goto(urlOf('/docs/'));
    expect(answer?.headers()['content-security-policy']).toContain("frame-ancestors 'none'");
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
    expect(await page.title()).toBe('Partner API: guide');
  });

  provenTest(
    'shows every operation, and sends what a reader tries, with ids of the demo world and no optional header',
    campaign,
    async () => {
      await page.goto(urlOf('/docs/reference.html'));
      await operation(operationIds.at(-1) ?? '').waitFor();
      // Beside the operations it shows the pokes that the service sends.
      expect(await page.locator('.opblock').count()).toBe(
        operationIds.length + Object.keys(apiDocument.webhooks).length,
      );

      const answer = await tryOut('getHeatingCircuit');
      expect(answer.status()).toBe(200);
      const shown = operation('getHeatingCircuit').locator('.live-responses-table');
      await shown.getByText('"circuitId": "hc1"').waitFor();
      await shown.locator('.response .response-col_status', { hasText: /^200/ }).waitFor();

      expect(await (await tryOut('listEvents')).json()).toMatchObject({ items: expect.any(Array), hasMore: false });

      const request = (await tryOut('updateHeatingCircuit')).request();
      const [gateway] = companyOf(service, 'acme').gateways;
      expect(new URL(request.url()).pathname).toBe(`/v1/hvacs/${gateway?.gatewayId}/heatingCircuits/hc1`);
      expect(request.headers()['x-user-id']).toBe(companyOf(service, 'acme').userId);
      expect(request.headers()['if-match']).toBeUndefined();
      expect((await request.response())?.status()).toBe(202);
    },
  );

  provenTest.each(['/docs/', '/docs/reference.html'])(
    '%s fits the width of a phone, in letters that can be read',
    campaign,
    async (path) => {
      await page.setViewportSize(phone);
      await page.goto(urlOf(path));
      if (path !== '/docs/') {
        await operation('updateHeatingTimeProgram').locator('.opblock-summary-control').click();
        await operation('updateHeatingTimeProgram').getByText('Responses', { exact: true }).waitFor();
      }
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      const sizesPx = await page.evaluate<number[]>(`[...document.querySelectorAll('p, td, a, code, li')]
      .filter((element) => element.textContent && element.checkVisibility())
      .map((element) => Number.parseFloat(getComputedStyle(element).fontSize))`);
      expect(width).toBeLessThanOrEqual(phone.width);
      expect(Math.min(...sizesPx)).toBeGreaterThanOrEqual(12);
    },
  );

  provenTest(
    'works from the folder that `npm run docs` writes, without a server; there is nothing to send to',
    campaign,
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'api-page-'));
      await promisify(execFile)(process.execPath, [resolve('partner/site/site.ts')], { cwd: directory });
      const folder = pathToFileURL(join(directory, '.build/docs')).href;
      await page.goto(`${folder}/index.html`);
      await page.getByRole('link', { name: 'Reference', exact: true }).click();
      await operation('getContract').locator('.opblock-summary-control').click();
      await operation('getContract').getByText('Responses', { exact: true }).waitFor();
      expect(
        await page
          .getByRole('button', { name: /Try it out|Authorize/ })
          .filter({ visible: true })
          .count(),
      ).toBe(0);
      expect(requests.filter((url) => !url.startsWith(folder) && !url.startsWith('data:'))).toEqual([]);
      expect(complaints).toEqual([]);
      rmSync(directory, { recursive: true });
    },
  );
});
