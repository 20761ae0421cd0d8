import { clientConfigOf } from 'serve-stack/dynamodb';
import { ratePolicies } from '../../../lambdas/api/limits.ts';
import { connectStore } from '../../../lambdas/data/store/store.ts';
import { consumeToken } from '../../../lambdas/data/token-buckets.ts';
import { patience } from '../../support/time.ts';

/**
 * Requests a token of one bucket for each time that the parent process sends, all concurrently, and returns who was admitted.
 */
const [, , bucketId = '', endpoint = '', tableName = ''] = process.argv;
const { store } = connectStore(() => tableName, patience.requestTimeouts, clientConfigOf(endpoint));
const limit = ratePolicies.general;
let seenMs = 0;

process.on('message', async (timesMs: number[]) => {
  const decisions = await Promise.all(timesMs.map((nowMs) => consumeToken(store, { bucketId, limit, nowMs }, seenMs)));
  seenMs = Math.max(...decisions.map(({ arrivalMs }) => arrivalMs));
  process.send?.(decisions.map(({ admitted }) => admitted));
});
