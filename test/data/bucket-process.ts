import { rateClasses } from '../../lambdas/api/rate-classes.ts';
import { createStoreClient } from '../../lambdas/data/store.ts';
import { spendToken } from '../../lambdas/data/token-buckets.ts';

/** Asks one bucket for a token at each of the times that the parent process sends, all at once, and tells who was admitted. */
const bucketId = process.argv[2] ?? '';
const store = createStoreClient();
const limit = rateClasses.general;
let seenMs = 0;

process.on('message', async (timesMs: number[]) => {
  const decisions = await Promise.all(timesMs.map((nowMs) => spendToken(store, { bucketId, limit, nowMs }, seenMs)));
  seenMs = Math.max(...decisions.map(({ arrivalMs }) => arrivalMs));
  process.send?.(decisions.map(({ admitted }) => admitted));
});
