import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { page as pageSize } from './drawing/style.ts';

const usualPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const quietly = [
  ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  ...['--disable-sync', '--no-first-run'],
];

/** Returns the path of Chromium: `CHROMIUM_PATH`, or the first usual location that exists; undefined otherwise. */
export const findChromium = (): string | undefined => {
  const named = process.env.CHROMIUM_PATH;
  return named ?? usualPlaces.find((path) => existsSync(path));
};

export const howToGetChromium = 'install Chromium (sudo apt-get install chromium), or set CHROMIUM_PATH to where it is';

/** Starts Chromium headless and without background network requests. */
export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: quietly });

/** Takes a screenshot of each section of the page, named after its id: `on-call.png`. Returns the files. */
export const takePictures = async (
  executablePath: string,
  pageFile: string,
  directory: string,
  sectionIds: readonly string[],
): Promise<string[]> => {
  const browser = await launchChromium(executablePath);
  try {
    const page = await browser.newPage({ viewport: { width: pageSize.widthPx, height: 1000 } });
    await page.goto(pathToFileURL(pageFile).href);
    const files: string[] = [];
    for (const id of sectionIds) {
      const path = join(directory, `${id}.png`);
      await page.locator(`section[id=${JSON.stringify(id)}]`).screenshot({ path });
      files.push(path);
    }
    return files;
  } finally {
    await browser.close();
  }
};
