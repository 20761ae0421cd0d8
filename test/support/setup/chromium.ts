import { findChromium, howToGetChromium } from '../../../local/dashboard-preview/chromium.ts';

/** Says once for the whole run that pages are not tested, where no browser is found. */
export default () => {
  if (!findChromium()) console.warn(`The API page is not tested in a browser: to do so, ${howToGetChromium}.`);
};
