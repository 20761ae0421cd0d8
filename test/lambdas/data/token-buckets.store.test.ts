import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type RatePolicyName, ratePolicies } from '../../../lambdas/api/limits.ts';
import { consumeToken } from '../../../lambdas/data/token-buckets.ts';
import { bucketStatus, retryAfterMs } from '../../../lambdas/domain/token-bucket.ts';
import { campaign, playRounds, proven, size } from '../../support/campaign.ts';
import { below, randomNumbers } from '../../support/random.ts';
import { ReferenceBucket } from '../../support/reference-bucket.ts';
import { injectFault, openWorld, startMs, theWorld } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

describe('token buckets', () => {
  const limit = ratePolicies.gateway;

  const spendingOn = (bucketId: string, nowMs: number) => ({ bucketId, limit, nowMs });

  /** Empties a fresh bucket at `startMs` and returns its arrival time. */
  const emptyBucket = async (bucketId: string): Promise<number> => {
    let arrivalMs = 0;
    for (let spent = 0; spent < limit.burst; spent++)
      ({ arrivalMs } = await consumeToken(world.store, spendingOn(bucketId, startMs), arrivalMs));
    return arrivalMs;
  };

  describe.each(Object.keys(ratePolicies) as RatePolicyName[])('a bucket of policy %s in DynamoDB', (ratePolicy) => {
    const steps = size({ test: 25, prove: 50 });
    test(
      `decides like the reference bucket in ${steps} random steps, with stale reads, in at most two writes`,
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

  test('a refusal by the earlier read writes nothing', async () => {
    const bucketId = randomUUID();
    const arrivalMs = await emptyBucket(bucketId);
    world.proxy.begin();
    const decision = await consumeToken(world.store, spendingOn(bucketId, startMs), arrivalMs);
    expect(decision.admitted).toBe(false);
    expect(world.proxy.exchanges).toEqual([]);
  });

  test('a stale read never admits: an empty bucket that was read as full refuses', async () => {
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
  ])('a write of the %s form whose response is lost is not charged twice', async (_, spentBefore) => {
    const bucketId = randomUUID();
    let seenMs = 0;
    for (let spent = 0; spent < spentBefore; spent++)
      seenMs = (await consumeToken(world.store, spendingOn(bucketId, startMs), seenMs)).arrivalMs;

    injectFault(world, (_exchange, ordinal) => (ordinal === 0 ? 'lose-answer' : undefined));
    const decision = await consumeToken(world.store, spendingOn(bucketId, startMs), seenMs);

    expect(world.proxy.exchanges.length).toBe(2);
    expect(decision).toEqual({ admitted: true, arrivalMs: startMs + (spentBefore + 1) * limit.refillIntervalMs });
  });

  test('of many concurrent requests, exactly as many are admitted as the bucket holds', async () => {
    const bucketId = randomUUID();
    const decisions = await Promise.all(
      Array.from({ length: 20 }, () => consumeToken(world.store, spendingOn(bucketId, startMs), 0)),
    );
    expect(decisions.filter(({ admitted }) => admitted).length).toBe(limit.burst);
  });

  test('a bucket that is full again at this very moment admits a request', async () => {
    const bucketId = randomUUID();
    const { arrivalMs } = await consumeToken(world.store, spendingOn(bucketId, startMs), 0);
    const decision = await consumeToken(world.store, spendingOn(bucketId, arrivalMs), arrivalMs);
    expect(decision).toMatchObject({ admitted: true });
  });
});

describe('token bucket processes', () => {
  const limit = ratePolicies.general;
  const processCount = 4;
  const inFlight = 16;
  /** The minimum share of the admissions of the reference bucket. */
  const leastShare = 0.99;
  /** How far apart the times of requests may be that reach the bucket in any order. */
  const spreadMs = 10;

  test(
    `${processCount} processes, ${inFlight} requests in flight: get ${100 * leastShare} to 100 % of a bucket`,
    proven,
    async (context) => {
      const random = randomNumbers();
      const processes = startProcesses(randomUUID());
      const reference = new ReferenceBucket(limit);
      const admittedAtMs: number[] = [];
      let referenceAdmissions = 0;
      let roundMs = startMs;
      const rounds = await playRounds(context, { test: 1, seconds: 10, full: 400 }, async () => {
        roundMs += spreadMs + below(random, 2 * limit.burst * limit.refillIntervalMs);
        const timesMs = Array.from({ length: processCount * inFlight }, () => roundMs + below(random, spreadMs));
        const admitted = await Promise.all(
          processes.map((child, index) => ask(child, timesMs.slice(index * inFlight, (index + 1) * inFlight))),
        );
        admittedAtMs.push(...timesMs.filter((_, index) => admitted.flat()[index]));
        referenceAdmissions += timesMs.toSorted((a, b) => a - b).filter((nowMs) => reference.take(nowMs) === 0).length;
      });
      for (const child of processes) child.kill();

      await context.annotate(
        `${rounds * processCount * inFlight} decisions: ${admittedAtMs.length} admitted, by the reference ${referenceAdmissions}`,
      );
      expect(overAdmissions(admittedAtMs.toSorted((a, b) => a - b))).toBe(0);
      expect(admittedAtMs.length).toBeGreaterThanOrEqual(referenceAdmissions * leastShare);
    },
  );

  const startProcesses = (bucketId: string) =>
    Array.from({ length: processCount }, () =>
      fork(join(import.meta.dirname, 'bucket-process.ts'), [
        bucketId,
        inject('dynamoDbEndpoint'),
        theWorld().store.tableName('TokenBuckets'),
      ]),
    );

  const ask = async (child: ReturnType<typeof fork>, timesMs: readonly number[]): Promise<boolean[]> => {
    const answered = once(child, 'message');
    child.send(timesMs);
    const [admitted] = await answered;
    return admitted;
  };

  /** Counts the time spans between two admissions in which more were admitted than a full bucket and its refill allow. */
  const overAdmissions = (sortedMs: readonly number[]): number => {
    let count = 0;
    for (const [first, firstMs] of sortedMs.entries())
      for (const [further, lastMs] of sortedMs.slice(first).entries())
        if (further + 1 > limit.burst + Math.floor((lastMs - firstMs) / limit.refillIntervalMs)) count++;
    return count;
  };
});
