import { buildSiteIfStale } from './api-page.ts';
import { synthesizeIfStale } from './synthesis.ts';

/** Builds everything that a run serves, so that a run in the same folder starts without the build tools. */
await synthesizeIfStale({ announce: console.log });
console.log('Building guide and reference');
await buildSiteIfStale();
