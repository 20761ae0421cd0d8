import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { UserFacingError } from 'serve-stack';
import { apartFromTerminal, endWithThisProcess, whenNpmEnds } from 'serve-stack/host';
import { print, printFault } from '../command-line.ts';
import { startLocalService } from '../service.ts';
import { findChromium, howToGetChromium, launchChromium } from './chromium.ts';
import { page as pageSize } from './drawing/style.ts';
import { type PictureName, shownIn } from './shown-in-pictures.ts';

/** Draws the pictures of the documents and records what they show in `shown.json`. */
const draw = async (): Promise<void> => {
  const images = resolve('docs/images');
  const dashboard = resolve('.local/dashboard');
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
    copyFileSync(join(dashboard, 'on-call.png'), fileOf('on-call.png'));
    await drawRow(browser, join(dashboard, 'index.html'), fileOf('on-call-row.png'));
    await drawFirstPage(browser, new URL('/docs/', service.demo.baseUrl).href, fileOf('first-page.png'));
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

/** Draws the first page of the site down to its call and the answer. */
const drawFirstPage = async (browser: Browser, url: string, path: string): Promise<void> => {
  const page = await browser.newPage({ ignoreHTTPSErrors: true, viewport: { width: 1180, height: 900 } });
  await page.goto(url);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await shoot(page, page.locator('.call-and-answer'), path, { fromTop: true });
};

/** Draws the row of the dashboard that shows who is throttled. */
const drawRow = async (browser: Browser, file: string, path: string): Promise<void> => {
  const page = await browser.newPage({ viewport: { width: pageSize.widthPx, height: 900 } });
  await page.goto(pathToFileURL(file).href);
  await shoot(page, page.locator('#on-call article', { hasText: 'Who is throttled' }), path);
};

/** Takes a picture in the width of the page and the height of a part of it, or from the top to the end of this part. */
const shoot = async (page: Page, part: Locator, path: string, { fromTop = false } = {}): Promise<void> => {
  const [box, width] = [await part.boundingBox(), page.viewportSize()?.width];
  if (!box || !width) throw new Error(`${path}: its part of the page is not shown.`);
  const top = fromTop ? 0 : box.y - marginPx;
  await page.screenshot({
    path,
    fullPage: true,
    clip: { x: 0, y: top, width, height: box.y + box.height + marginPx - top },
  });
};

const marginPx = 6;

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
