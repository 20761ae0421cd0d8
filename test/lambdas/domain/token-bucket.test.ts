import { describe, expect, test } from 'vitest';
import { type RatePolicyName, ratePolicies } from '../../../lambdas/api/limits.ts';
import { rateLimitHeaders, retryAfterField } from '../../../lambdas/domain/rate-limits.ts';
import {
  arrivalAfterConsumingMs,
  bucketStatus,
  recordExpiresAtSeconds,
  retryAfterMs,
} from '../../../lambdas/domain/token-bucket.ts';
import { campaign, size } from '../../support/campaign.ts';
import { below, randomNumbers } from '../../support/random.ts';
import { ReferenceBucket } from '../../support/reference-bucket.ts';

describe('token bucket', () => {
  const steps = size({ test: 20_000, prove: 4_000_000 });

  describe.each(Object.keys(ratePolicies) as RatePolicyName[])('of policy %s', (ratePolicy) => {
    const limit = ratePolicies[ratePolicy];

    test(`decides, waits and counts as the reference bucket does in ${steps} random steps`, campaign, () => {
      const random = randomNumbers();
      const reference = new ReferenceBucket(limit);
      let nowMs = 1_700_000_000_000;
      let arrivalMs = 0;
      let differences = 0;
      for (let step = 0; step < steps; step++) {
        nowMs += nextPauseMs(random, retryAfterMs(arrivalMs, nowMs, limit));
        const waitMs = Math.max(0, retryAfterMs(arrivalMs, nowMs, limit));
        if (waitMs === 0) arrivalMs = arrivalAfterConsumingMs(arrivalMs, nowMs, limit);
        if (waitMs !== reference.take(nowMs) || bucketStatus(arrivalMs, nowMs, limit).remaining !== reference.remaining)
          differences++;
      }
      expect(differences).toBe(0);
    });

    /** Bursts at one instant, the exact end of a wait and a millisecond to either side, short and long pauses. */
    const nextPauseMs = (random: () => number, waitMs: number): number => {
      const pauses = [
        0,
        1,
        waitMs - 1,
        waitMs,
        waitMs + 1,
        below(random, limit.refillIntervalMs),
        below(random, 60_000),
      ];
      return Math.max(0, pauses[below(random, pauses.length)] as number);
    };

    test('announces the next token for exactly the moment at which it is available', () => {
      const nowMs = 1_700_000_000_000;
      let arrivalMs = 0;
      for (let spent = 0; spent < limit.burst; spent++) arrivalMs = arrivalAfterConsumingMs(arrivalMs, nowMs, limit);
      const waitMs = retryAfterMs(arrivalMs, nowMs, limit);
      expect(waitMs).toBe(limit.refillIntervalMs);
      expect(bucketStatus(arrivalMs, nowMs, limit)).toEqual({ remaining: 0, nextTokenMs: waitMs });
      expect(retryAfterMs(arrivalMs, nowMs + waitMs - 1, limit)).toBe(1);
      expect(retryAfterMs(arrivalMs, nowMs + waitMs, limit)).toBe(0);
    });

    test('tells a request that others have overtaken no more than one refill, which is enough (2000 random requests)', () => {
      const random = randomNumbers();
      const { burst, refillIntervalMs } = limit;
      const admittedAtMs: number[] = [];
      let [clockMs, arrivalMs, refusedLate] = [1_700_000_000_000, 0, 0];
      for (let request = 0; request < 2000; request++) {
        clockMs += below(random, 2) * below(random, 2 * refillIntervalMs);
        const nowMs = clockMs - below(random, 2) * below(random, 3 * burst * refillIntervalMs);
        const waitMs = retryAfterMs(arrivalMs, nowMs, limit);
        if (waitMs <= 0) {
          arrivalMs = arrivalAfterConsumingMs(arrivalMs, nowMs, limit);
          admittedAtMs.push(nowMs);
          continue;
        }
        if (nowMs < clockMs) refusedLate++;
        expect(waitMs).toBeLessThanOrEqual(refillIntervalMs);
        expect(bucketStatus(arrivalMs, nowMs, limit)).toEqual({ remaining: 0, nextTokenMs: waitMs });
        // The answer cannot arrive before the newest request.
        expect(retryAfterMs(arrivalMs, clockMs + waitMs, limit)).toBeLessThanOrEqual(0);
      }
      expect(refusedLate).toBeGreaterThan(100);
      // No span has more admissions than a full bucket and its refill.
      const sortedMs = admittedAtMs.toSorted((one, other) => one - other);
      const isBeyond = (firstMs: number, first: number) =>
        sortedMs
          .slice(first)
          .some((lastMs, further) => further + 1 > burst + Math.floor((lastMs - firstMs) / refillIntervalMs));
      expect(sortedMs.filter(isBeyond)).toEqual([]);
    });

    test('keeps its record until it is full again, and a minute more', () => {
      const nowMs = 1_700_000_000_001;
      const fullAtMs = nowMs + limit.burst * limit.refillIntervalMs;
      expect(recordExpiresAtSeconds(nowMs, limit)).toBe(Math.ceil(fullAtMs / 1000) + 60);
    });

    test('is full if it is unknown, and empty if it was spent under a wider policy', () => {
      expect(bucketStatus(0, 1, limit)).toEqual({ remaining: limit.burst, nextTokenMs: 0 });
      const owedMs = (limit.burst + 2) * limit.refillIntervalMs;
      expect(bucketStatus(owedMs, 0, limit).remaining).toBe(0);
    });
  });

  test('rule 16: spends what it has saved at once, refills token by token, and saves no more than its burst', () => {
    const limit = { refillIntervalMs: 2000, burst: 3 };
    const beginMs = 1_700_000_001_234;
    let arrivalMs = 0;
    const takenAt = (afterMs: number): boolean => {
      const isTaken = retryAfterMs(arrivalMs, beginMs + afterMs, limit) <= 0;
      if (isTaken) arrivalMs = arrivalAfterConsumingMs(arrivalMs, beginMs + afterMs, limit);
      return isTaken;
    };
    const taken = [0, 0, 0, 0, 1999, 2000, 2000, 3999, 4000, 9000, 9000, 9000, 999_000, 999_000, 999_000, 999_000];
    expect(taken.filter(takenAt)).toEqual([0, 0, 0, 2000, 4000, 9000, 9000, 999_000, 999_000, 999_000]);
  });

  test.each<[RatePolicyName, number, string, string]>([
    ['general', 0, '"general";q=5;w=3', '"general";r=5;t=0'],
    ['general', 1, '"general";q=5;w=3', '"general";r=4;t=1'],
    ['gateway', 3, '"gateway";q=3;w=6', '"gateway";r=0;t=2'],
    ['time-program', 1, '"time-program";q=1;w=10', '"time-program";r=0;t=10'],
  ])('reports the state of %s after %i requests in the draft’s syntax', (ratePolicy, spent, policy, standing) => {
    const nowMs = 1_700_000_000_000;
    let arrivalMs = 0;
    for (let request = 0; request < spent; request++)
      arrivalMs = arrivalAfterConsumingMs(arrivalMs, nowMs, ratePolicies[ratePolicy]);
    expect(rateLimitHeaders(ratePolicy, arrivalMs, nowMs)).toEqual({ 'RateLimit-Policy': policy, RateLimit: standing });
  });

  test.each([
    [0, '1'],
    [1, '1'],
    [1000, '1'],
    [1001, '2'],
    [9999, '10'],
  ])('rounds a wait of %i ms up to whole seconds', (waitMs, field) => {
    expect(retryAfterField(waitMs)).toBe(field);
  });
});
