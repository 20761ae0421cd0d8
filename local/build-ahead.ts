import { buildSiteIfStale } from './api-page.ts';
import { synthesizeIfStale } from './synthesis.ts';

/** Builds what a run serves, so that a run in the same folder starts without the tools that build it. */
await synthesizeIfStale({ announce: console.log });
console.log('Building guide and reference');
await buildSiteIfStale();
