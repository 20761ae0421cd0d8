import { compareCalls } from './call-comparison.ts';
import { compareLimiters } from './limiter-comparison.ts';
import { compareLoading } from './loading-comparison.ts';

/** Prints what the documents claim of speed; ratios within one run, since machines differ. `npm run bench` */
await compareLoading();
await compareCalls();
await compareLimiters();
