import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type RatePolicyName, ratePolicies } from '../../../../lambdas/api/limits.ts';
import { campaign, playRounds } from '../../../support/campaign.ts';
import { below, randomNumbers } from '../../../support/random.ts';
import { ReferenceBucket } from '../../../support/reference-bucket.ts';
import { injectFault, openWorld, startMs } from '../../../support/world.ts';
import { consumeToken, type TokenRequest } from '../../../../lambdas/data/token-buckets.ts';
import { bucketStatus, retryAfterMs } from '../../../../lambdas/domain/rate-limits.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const limit = ratePolicies.gateway;

const spendingOn = (bucketId: string, nowMs: number): TokenRequest => ({ bucketId, limit, nowMs });

/** Empties a fresh bucket at `startMs` and returns its arrival time. */
const emptyBucket = async (bucketId: string): Promise<number> => {
  let arrivalMs = 0;
  for (let spent = 0; spent < limit.burst; spent++)
    ({ arrivalMs } = await consumeToken(world.store, spendingOn(bucketId, startMs), arrivalMs));
  return arrivalMs;
};

describe.each(Object.keys(ratePolicies) as RatePolicyName[])('a bucket of policy %s in DynamoDB', (ratePolicy) => {
  const steps = 50;
  test(
    `decides as the reference bucket does in ${steps} random steps a round, however stale what was seen, in at most two writes`,
    campaign,
    (context) =>
      playRounds(context, { test: 1, seconds: 6, full: 100 }, async (seed) => {
        const random = randomNumbers(seed);
        const classLimit = ratePolicies[ratePolicy];
        const reference = new ReferenceBucket(classLimit);
        const bucketId = randomUUID();
        const seen = [0];
        let nowMs = startMs;
        for (let step = 0; step < steps; step++) {
          const newestMs = seen.at(-1) as number;
          const waitMs = Math.max(0, retryAfterMs(newestMs, nowMs, classLimit));
          const pauses = [0, 1, waitMs - 1, waitMs, waitMs + 1, below(random, 3 * classLimit.refillIntervalMs)];
          nowMs += Math.max(0, pauses[below(random, pauses.length)] as number);
          const seenMs = seen[Math.max(0, seen.length - 1 - below(random, 3))] as number;

          world.proxy.begin();
          const decision = await consumeToken(
            world.store,
            { ...spendingOn(bucketId, nowMs), limit: classLimit },
            seenMs,
          );

          expect(world.proxy.exchanges.length).toBeLessThanOrEqual(2);
          const referenceWaitMs = reference.take(nowMs);
          expect({
            step,
            waitMs: Math.max(0, decision.admitted ? 0 : retryAfterMs(decision.arrivalMs, nowMs, classLimit)),
          }).toEqual({
            step,
            waitMs: referenceWaitMs,
          });
          expect(bucketStatus(decision.arrivalMs, nowMs, classLimit).remaining).toBe(reference.remaining);
          seen.push(decision.arrivalMs);
        }
      }),
  );
});

test('a refusal that the earlier read shows writes nothing', async () => {
  const bucketId = randomUUID();
  const arrivalMs = await emptyBucket(bucketId);
  world.proxy.begin();
  const decision = await consumeToken(world.store, spendingOn(bucketId, startMs), arrivalMs);
  expect(decision.admitted).toBe(false);
  expect(world.proxy.exchanges).toEqual([]);
});

test('a stale read never admits: an empty bucket that was seen full refuses', async () => {
  const bucketId = randomUUID();
  const arrivalMs = await emptyBucket(bucketId);
  expect(await consumeToken(world.store, spendingOn(bucketId, startMs), 0)).toEqual({ admitted: false, arrivalMs });
});

test('a bucket whose record has expired between read and write is full', async () => {
  const seenMs = startMs + limit.refillIntervalMs;
  expect(await consumeToken(world.store, spendingOn(randomUUID(), startMs), seenMs)).toEqual({
    admitted: true,
    arrivalMs: startMs + limit.refillIntervalMs,
  });
});

test.each([
  ['idle', 0],
  ['busy', 1],
])('a write of the %s form whose answer is lost is not charged twice', async (_, spentBefore) => {
  const bucketId = randomUUID();
  let seenMs = 0;
  for (let spent = 0; spent < spentBefore; spent++)
    seenMs = (await consumeToken(world.store, spendingOn(bucketId, startMs), seenMs)).arrivalMs;

  injectFault(world, (_exchange, ordinal) => (ordinal === 0 ? 'lose-answer' : undefined));
  const decision = await consumeToken(world.store, spendingOn(bucketId, startMs), seenMs);

  expect(world.proxy.exchanges.length).toBe(2);
  expect(decision).toEqual({ admitted: true, arrivalMs: startMs + (spentBefore + 1) * limit.refillIntervalMs });
});

test('many at once at one instant: exactly as many are admitted as the bucket holds', async () => {
  const bucketId = randomUUID();
  const decisions = await Promise.all(
    Array.from({ length: 100 }, () => consumeToken(world.store, spendingOn(bucketId, startMs), 0)),
  );
  expect(decisions.filter(({ admitted }) => admitted).length).toBe(limit.burst);
});

test('a bucket that is full again at this very moment gives a token', async () => {
  const bucketId = randomUUID();
  const { arrivalMs } = await consumeToken(world.store, spendingOn(bucketId, startMs), 0);
  const decision = await consumeToken(world.store, spendingOn(bucketId, arrivalMs), arrivalMs);
  expect(decision).toMatchObject({ admitted: true });
});
