import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launchChromium } from '../chromium.ts';
import { page as pageSize } from './grid.ts';

/** Takes a picture of each section of the page, named after it: `on-call.png`. Returns the files. */
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
