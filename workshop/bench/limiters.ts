import { ConditionalCheckFailedException, DynamoDB } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { RateLimiterDynamo } from 'rate-limiter-flexible';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { consumeToken } from '../../lambdas/data/token-buckets.ts';
import { arrivalAfterConsumingMs } from '../../lambdas/domain/token-bucket.ts';
import { type BenchStore, median, openStore, quantile } from './store.ts';

const rounds = 5;
const sliceMs = 500;
const inFlightCounts = [1, 8, 64];
const bucketCounts = [1, 10_000];

type Slice = { readonly latenciesMs: readonly number[]; readonly refused: number; readonly decisionsPerSecond: number };

/**
 * Prints the decisions per second and latencies of four limiters, in turn on one DynamoDB Local, on one hot bucket and on many.
 */
export const compareLimiters = async (): Promise<void> => {
  const store = await openStore();
  const contenders = Object.entries(await limiters(store));
  for (const [, limiter] of contenders) await runSlice(limiter, 64, 1000);

  console.log(
    `Limiters on DynamoDB Local, ${rounds} rounds of ${sliceMs} ms in turn; all requests ought to be admitted`,
  );
  console.log(row('buckets', 'in flight', 'limiter', 'decisions/s', 'of bare', 'p50 ms', 'p99 ms', 'wrongly refused'));
  for (const bucketCount of bucketCounts)
    for (const inFlight of inFlightCounts) {
      const slices: Record<string, Slice[]> = {};
      for (let round = 0; round < rounds; round++)
        for (const [name, limiter] of contenders)
          slices[name] = [...(slices[name] ?? []), await runSlice(limiter, inFlight, bucketCount)];
      print(bucketCount, inFlight, slices);
    }
  await store.close();
};

/** Keeps this number of decisions in flight for the duration of a slice. */
const runSlice = async (limiter: Limiter, inFlight: number, bucketCount: number): Promise<Slice> => {
  const latenciesMs: number[] = [];
  let refused = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + sliceMs;
  const worker = async () => {
    while (performance.now() < endsAt) {
      const bucketId = `${bucketCount}/${Math.floor(Math.random() * bucketCount)}`;
      const decisionStartedAt = performance.now();
      if (!(await limiter(bucketId))) refused++;
      latenciesMs.push(performance.now() - decisionStartedAt);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { latenciesMs, refused, decisionsPerSecond: (latenciesMs.length * 1000) / (performance.now() - startedAt) };
};

const print = (bucketCount: number, inFlight: number, slices: Readonly<Record<string, readonly Slice[]>>): void => {
  const rate = (name: string) => median((slices[name] ?? []).map(({ decisionsPerSecond }) => decisionsPerSecond));
  for (const [name, own] of Object.entries(slices)) {
    const latenciesMs = own.flatMap((slice) => slice.latenciesMs);
    const refused = own.reduce((sum, slice) => sum + slice.refused, 0);
    console.log(
      row(
        bucketCount === 1 ? '1 (hot)' : String(bucketCount),
        String(inFlight),
        name,
        rate(name).toFixed(0),
        (rate(name) / rate('bare UpdateItem')).toFixed(2),
        median(latenciesMs).toFixed(1),
        quantile(latenciesMs, 0.99).toFixed(1),
        `${((100 * refused) / latenciesMs.length).toFixed(1)} %`,
      ),
    );
  }
};

const widths = [9, 10, 30, 12, 9, 9, 9, 16];
const row = (...cells: string[]): string =>
  cells.map((cell, column) => (column === 2 ? cell.padEnd(30) : cell.padStart(widths[column] ?? 0))).join('  ');

/** Decides about one request on a bucket; false rejects it. No bucket here runs empty, so every rejection is wrong. */
type Limiter = (bucketId: string) => Promise<boolean>;

/** Refills as the service's limit, but holds more than any run takes: the comparison is about the cost of admitting. */
const limit = { ...ratePolicies.general, burst: 10_000_000 };
const readThenWriteAttempts = 10;

const limiters = async ({ store, clientConfig }: BenchStore): Promise<Record<string, Limiter>> => ({
  'this limiter': thisLimiter(store),
  'bare UpdateItem': bareUpdate(store),
  'read, then conditional write': readThenWrite(store),
  'rate-limiter-flexible': await rateLimiterFlexible(clientConfig),
});

/** Passes the arrival time of the last decision, as the batch read of a request would. */
const thisLimiter = (store: Store): Limiter => {
  const seen = new Map<string, number>();
  return async (bucketId) => {
    const tokenRequest = { bucketId, limit, nowMs: Date.now() };
    const { admitted, arrivalMs } = await consumeToken(store, tokenRequest, seen.get(bucketId) ?? 0);
    seen.set(bucketId, arrivalMs);
    return admitted;
  };
};

/** The lower bound: one write without a decision. */
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

/** The usual way: read, compute and write if the item is unchanged; otherwise retry, up to ten attempts. */
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
