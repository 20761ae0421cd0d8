import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { UserFacingError } from 'serve-stack';
import { apartFromTerminal, endWithThisProcess, whenNpmEnds } from 'serve-stack/host';
import { print, printFault } from '../command-line.ts';
import { startLocalService } from '../service.ts';
import { findChromium, howToGetChromium, launchChromium } from './chromium.ts';
import { type PictureName, shownIn } from './shown-in-pictures.ts';

/** Draws the pictures of the README and records what they show in `shown.json`. */
const draw = async (): Promise<void> => {
  const images = resolve('docs/images');
  const dashboard = resolve('.local/dashboard/on-call.png');
  const chromium = findChromium();
  if (!chromium) throw new UserFacingError(`No pictures were drawn: ${howToGetChromium}.`);
  await playHealthy();
  const directory = resolve('.local/pictures');
  mkdirSync(directory, { recursive: true });
  const service = await startLocalService({ port: 0, directory, announce: print });
  const browser = await launchChromium(chromium);
  try {
    await service.openApiPage();
    const fileOf = (name: PictureName) => join(images, name);
    copyFileSync(dashboard, fileOf('on-call.png'));
    await drawApiPage(browser, new URL('/docs/', service.demo.baseUrl).href, fileOf('api-page.png'));
    const shown = Object.entries(shownIn(service.served.version().stack.template)).map(([name, shows]) => {
      const sha256 = createHash('sha256')
        .update(readFileSync(fileOf(name as PictureName)))
        .digest('hex');
      return [name, { sha256, shows }];
    });
    writeFileSync(join(images, 'shown.json'), `${JSON.stringify(Object.fromEntries(shown), null, 2)}\n`);
    for (const [name] of shown) print(fileOf(name as PictureName));
  } finally {
    await browser.close();
    await service.close();
  }
};

/** Draws a chapter of the guide and, to its right, the answer to a change on the try-out page. */
const drawApiPage = async (browser: Browser, url: string, path: string): Promise<void> => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1180, height: 1000 } });
  const guide = await context.newPage();
  await guide.goto(new URL('guide/errors.html', url).href);
  await scrollTo(guide, '#consent-outdated');

  const trial = await context.newPage();
  await trial.setViewportSize({ width: 900, height: 1000 });
  await trial.goto(new URL('try-out.html#updateHeatingCircuit', url).href);
  const operation = trial.locator('.opblock[id$="-updateHeatingCircuit"]');
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table .response-col_status', { hasText: /^202/ }).waitFor();
  await scrollTo(trial, '.opblock[id$="-updateHeatingCircuit"] .btn-group');

  await trial.evaluate(asAReaderSeesIt);

  const halves = await Promise.all([guide, trial].map(async (page) => (await page.screenshot()).toString('base64')));
  const both = await context.newPage();
  await both.setViewportSize({ width: 2104, height: 1000 });
  const images = halves.map((half) => `<img src="data:image/png;base64,${half}">`).join('');
  await both.setContent(`<body style="margin:0;display:flex;gap:24px;background:#ccd0dc">${images}</body>`);
  await both.screenshot({ path });
};

/** Hides the API key and shows the default port of `npm start`. */
const asAReaderSeesIt = `
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    text.data = text.data.replace(/(xHCSAPI_\\w+?_)\\w+/, '$1…').replace(/localhost:\\d+/, 'localhost:8443');
`;

const scrollTo = async (page: Page, selector: string): Promise<void> => {
  await page.locator(selector).first().waitFor();
  await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).scrollIntoView()`);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
};

/** Plays the healthy scenario and draws its dashboards, as `npm run dashboard` does. */
const playHealthy = async (): Promise<void> => {
  const dashboard = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    stdio: 'inherit',
    ...apartFromTerminal,
  });
  endWithThisProcess(dashboard);
  const [exitCode] = await once(dashboard, 'close');
  if (exitCode !== 0) throw new UserFacingError('No pictures were drawn, because npm run dashboard failed.');
};

whenNpmEnds(() => process.exit(1));
try {
  await draw();
} catch (error) {
  printFault(error instanceof UserFacingError ? error.message : error);
  process.exitCode = 1;
}
