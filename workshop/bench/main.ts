import { availableParallelism, loadavg } from 'node:os';
import { whenNpmEnds } from 'serve-stack/host';
import { compareCalls } from './call-comparison.ts';
import { compareCallCost } from './call-cost.ts';
import { compareLimiters } from './limiters.ts';
import { compareLoading } from './loading-comparison.ts';

/**
 * Prints how fast the service is, as ratios within one run, since machines differ. `npm run bench`
 */
const loads = loadavg().map((load) => load.toFixed(2));
console.log(
  `Load before: ${loads.join(', ')} in 1, 5 and 15 minutes, on ${availableParallelism()} cores; quiet is below 0.5.\n`,
);
whenNpmEnds(() => process.exit(1));
await compareLoading();
await compareCallCost();
await compareCalls();
await compareLimiters();
