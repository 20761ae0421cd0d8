import { buildSiteIfStale } from '../../../local/api-page.ts';

/** Builds the site once: each run that a test starts would do so by itself, all of them at the same time. */
export default () => buildSiteIfStale();
