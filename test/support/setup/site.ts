import { buildSiteIfStale } from '../../../local/api-page.ts';

/** Builds the site once, because each service that a test starts would build it. */
export default () => buildSiteIfStale();
