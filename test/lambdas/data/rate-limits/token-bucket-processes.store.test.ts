import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, expect, inject } from 'vitest';
import { ratePolicies } from '../../../../lambdas/api/limits.ts';
import { campaign, playRounds, provenTest } from '../../../support/campaign.ts';
import { below, randomNumbers } from '../../../support/random.ts';
import { ReferenceBucket } from '../../../support/reference-bucket.ts';
import { openWorld, startMs, theWorld } from '../../../support/world.ts';

const limit = ratePolicies.general;
const processCount = 4;
const inFlight = 16;
/** Of what the reference bucket admits. */
const leastShare = 0.99;
/** How far apart the gateway may stamp requests that reach the bucket in any order. */
const spreadMs = 10;

beforeAll(async () => {
  await openWorld();
});

provenTest(
  `${processCount} processes with ${inFlight} in flight each never get more out of one bucket than it holds, and at least ${100 * leastShare} % of it`,
  campaign,
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

/** Spans of time, each between two admissions, in which more were admitted than a full bucket and its refill allow. */
const overAdmissions = (sortedMs: readonly number[]): number => {
  let count = 0;
  for (const [first, firstMs] of sortedMs.entries())
    for (const [further, lastMs] of sortedMs.slice(first).entries())
      if (further + 1 > limit.burst + Math.floor((lastMs - firstMs) / limit.refillIntervalMs)) count++;
  return count;
};
