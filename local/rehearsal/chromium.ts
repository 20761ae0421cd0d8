import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const usualPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const quietly = [
  ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  ...['--disable-sync', '--no-first-run'],
];

/** Finds the machine's Chromium: the one that `CHROMIUM_PATH` names, or one in a usual place. */
export const findChromium = (): string | undefined => {
  const named = process.env.CHROMIUM_PATH;
  return named ?? usualPlaces.find((path) => existsSync(path));
};

export const howToGetChromium = 'install Chromium (sudo apt-get install chromium), or set CHROMIUM_PATH to where it is';

/** Starts it without a window, and without anything that it would ask of the network by itself. */
export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: quietly });
