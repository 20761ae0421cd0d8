import { findChromium, howToGetChromium } from '../../../local/dashboard-preview/chromium.ts';

/** Prints once that pages are not tested if no browser is found. */
export default () => {
  if (!findChromium()) console.warn(`The API page is not tested in a browser: to do so, ${howToGetChromium}.`);
};
