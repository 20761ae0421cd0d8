import { ConditionalCheckFailedException, DynamoDB } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { RateLimiterDynamo } from 'rate-limiter-flexible';
import { ratePolicies } from '../../lambdas/api/rate-policies.ts';
import { consumeToken } from '../../lambdas/data/rate-limits/token-buckets.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { arrivalAfterConsumingMs } from '../../lambdas/domain/rate-limits/token-bucket.ts';
import type { BenchStore } from './store.ts';

/** Decides about one request on a bucket; false refuses. No bucket here runs empty, so every refusal is a wrong one. */
export type Limiter = (bucketId: string) => Promise<boolean>;

/** Refills as the service's own, but holds more than any run spends: the cost of admitting is what is compared. */
const limit = { ...ratePolicies.general, burst: 10_000_000 };
const readThenWriteAttempts = 10;

export const limiters = async ({ store, clientConfig }: BenchStore): Promise<Record<string, Limiter>> => ({
  'this limiter': thisLimiter(store),
  'bare UpdateItem': bareUpdate(store),
  'read, then conditional write': readThenWrite(store),
  'rate-limiter-flexible': await rateLimiterFlexible(clientConfig),
});

/** What was seen is what the last decision left, as the batch read of a request would bring it. */
const thisLimiter = (store: Store): Limiter => {
  const seen = new Map<string, number>();
  return async (bucketId) => {
    const tokenRequest = { bucketId, limit, nowMs: Date.now() };
    const { admitted, arrivalMs } = await consumeToken(store, tokenRequest, seen.get(bucketId) ?? 0);
    seen.set(bucketId, arrivalMs);
    return admitted;
  };
};

/** The floor: one write that decides nothing. */
const bareUpdate =
  (store: Store): Limiter =>
  async (bucketId) => {
    const update = { UpdateExpression: 'ADD spent :one', ExpressionAttributeValues: { ':one': 1 } };
    await store.send(
      new UpdateCommand({
        TableName: store.tableName('TokenBuckets'),
        Key: { bucketId: `bare ${bucketId}` },
        ...update,
      }),
    );
    return true;
  };

/** The usual way: read, compute, write if nobody else has written, else from the start; in the end it gives up. */
const readThenWrite =
  (store: Store): Limiter =>
  async (bucketId) => {
    const item = { TableName: store.tableName('TokenBuckets'), Key: { bucketId: `loop ${bucketId}` } };
    for (let attempt = 0; attempt < readThenWriteAttempts; attempt++) {
      const { Item } = await store.send(new GetCommand({ ...item, ConsistentRead: true }));
      const seenMs: number = Item?.tat ?? 0;
      const values = { ':seen': seenMs, ':next': arrivalAfterConsumingMs(seenMs, Date.now(), limit) };
      try {
        await store.send(
          new UpdateCommand({
            ...item,
            UpdateExpression: 'SET tat = :next',
            ConditionExpression: 'attribute_not_exists(bucketId) OR tat = :seen',
            ExpressionAttributeValues: values,
          }),
        );
        return true;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    }
    return false;
  };

const rateLimiterFlexible = async (clientConfig: BenchStore['clientConfig']): Promise<Limiter> => {
  const options = {
    storeClient: new DynamoDB(clientConfig),
    points: limit.burst,
    duration: 3600,
    tableName: 'rate-limiter-flexible',
  };
  const limiter = await new Promise<RateLimiterDynamo>((resolve, reject) => {
    const created: RateLimiterDynamo = new RateLimiterDynamo(options, (error) =>
      error ? reject(error) : resolve(created),
    );
  });
  return async (bucketId) => {
    await limiter.consume(bucketId);
    return true;
  };
};
