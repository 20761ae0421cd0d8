import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { usageRunSeconds } from '../../../lambdas/api/limits.ts';
import { findUsageProgress, readUsage } from '../../../lambdas/data/usage.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { asOfMs, type UsageProgress } from '../../../lambdas/domain/usage-progress.ts';
import type { QueryLogPages } from '../../../lambdas/runtime/log-queries.ts';
import { createRequestLog, hoursIn, type RequestLine, recordUsageAt } from '../../support/usage.ts';
import { openWorld } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(() => world.takeNewTables('Usage'));

const [minuteMs, hourMs] = [60_000, 3_600_000];
const everyMs = 15 * minuteMs;
const beginMs = Date.parse('2026-11-20T09:05:00Z');

/** Returns one request per hour, from the begin on. */
const hourly = (hours: number): RequestLine[] =>
  Array.from({ length: hours }, (_, hour) => ({
    timestamp: toTimestamp(beginMs + hour * hourMs),
    operation: 'getContract',
    decision: 'allowed',
    companyId: 'acme',
    path: '/contract',
  }));

const countedHours = async () => [
  ...(await readUsage(world.store, 'acme', { from: '2026-11-20', to: '2026-11-30' })).keys(),
];

const progress = async () => (await findUsageProgress(world.store)) as UsageProgress;

const asOf = async () => toTimestamp(asOfMs(await progress()));

/** Runs the job on its schedule, and returns the error of each failed run. */
const runFor = async (
  log: ReturnType<typeof createRequestLog>,
  fromMs: number,
  toMs: number,
  query?: QueryLogPages,
) => {
  const faults: string[] = [];
  for (let nowMs = fromMs; nowMs < toMs; nowMs += everyMs) {
    await recordUsageAt(log, nowMs, query && { query }).catch((fault: Error) => faults.push(fault.message));
  }
  return faults;
};

describe('an hour that always fails while others do not', () => {
  const poison = '2026-11-20T11';
  const failing = (log: ReturnType<typeof createRequestLog>): QueryLogPages =>
    async function* (query, range) {
      yield* log.query(query, range);
      if (query.includes(poison)) throw new Error('no answer about this hour');
    };

  test('blocks no other hour, is retried a few times, is named by each run, and is skipped in the end', async () => {
    const log = createRequestLog(hourly(30));
    const faults = await runFor(log, beginMs, beginMs + 26 * hourMs, failing(log));
    const counted = await countedHours();
    expect(counted).toHaveLength(25);
    expect(counted).not.toContain(poison);
    // Some of them while no other hour was due, so that the failure could not be attributed to this one.
    expect(hoursIn(log.asked).filter((hour) => hour === poison).length).toBeLessThanOrEqual(11);
    // For almost a day: long enough for someone to notice the alarm.
    const named = faults.filter((fault) => fault.includes(`These hours failed: ${poison}.`));
    expect(named.length).toBeGreaterThan(80);
    expect((await progress()).failed).toEqual({});
  });

  test('is counted as soon as it can be; until then, asOf is before it', async () => {
    const log = createRequestLog(hourly(20));
    await runFor(log, beginMs, beginMs + 10 * hourMs, failing(log));
    expect(await asOf()).toBe(`${poison}:00:00Z`);
    const endMs = beginMs + 20 * hourMs;
    expect(await runFor(log, beginMs + 10 * hourMs, endMs)).not.toEqual([]);
    expect(await countedHours()).toContain(poison);
    expect(await asOf()).toBe(toTimestamp(endMs - everyMs));
  });
});

describe('a log that answers no query for a day', () => {
  const silent = (log: ReturnType<typeof createRequestLog>): QueryLogPages =>
    // biome-ignore lint/correctness/useYield: it fails before it has a page.
    async function* (query) {
      log.asked.push(query);
      throw new Error('no answer');
    };

  test('is queried less often; each run fails and logs the reason; counts and asOf stay', async () => {
    const log = createRequestLog(hourly(60));
    await runFor(log, beginMs, beginMs + hourMs);
    const before = await countedHours();
    log.asked.length = 0;
    const faults = await runFor(log, beginMs + hourMs, beginMs + 25 * hourMs, silent(log));
    expect(faults).toHaveLength(96);
    expect(faults[0]).toContain('no answer');
    expect(faults.at(-1)).toMatch(/No query runs before 2026-11-21T1\d:/);
    expect(log.asked.length).toBeLessThan(60);
    expect(await countedHours()).toEqual(before);
    expect(await asOf()).toBe(toTimestamp(beginMs + hourMs - everyMs));
  });

  test('is counted within an hour of its first answer, each hour once and finally', async () => {
    const log = createRequestLog(hourly(60));
    await runFor(log, beginMs, beginMs + hourMs);
    await runFor(log, beginMs + hourMs, beginMs + 25 * hourMs, silent(log));
    log.asked.length = 0;
    await runFor(log, beginMs + 25 * hourMs, beginMs + 26 * hourMs + everyMs);
    expect(await countedHours()).toHaveLength(27);
    expect(await asOf()).toBe(toTimestamp(beginMs + 26 * hourMs));
    const times = Map.groupBy(hoursIn(log.asked), (hour) => hour);
    expect(times.get('2026-11-20T20')).toHaveLength(1);
  });
});

test('a run that is out of time stores its progress, and the next runs continue from there', async () => {
  const log = createRequestLog(hourly(30));
  await recordUsageAt(log, beginMs);
  // Each query takes a minute: three hours in a run.
  let passedMs = 0;
  const slow: QueryLogPages = async function* (...asked) {
    passedMs += minuteMs;
    yield* log.query(...asked);
  };
  const runAt = (nowMs: number) => {
    passedMs = 0;
    return recordUsageAt(log, nowMs, { query: slow, passedMs: () => passedMs });
  };
  const nowMs = beginMs + 12 * hourMs;
  // The last hours first: partners ask about them.
  await expect(runAt(nowMs)).rejects.toThrow(/Requests are counted up to 2026-11-20T09/);
  expect(await countedHours()).toEqual(['2026-11-20T09', '2026-11-20T19', '2026-11-20T20', '2026-11-20T21']);
  expect(log.asked).toHaveLength(1 + Math.ceil(usageRunSeconds / 60));
  for (let run = 1; run <= 6; run++) await runAt(nowMs + run * everyMs).catch(() => undefined);
  expect(await countedHours()).toHaveLength(14);
  expect(await asOf()).toBe(toTimestamp(nowMs + 6 * everyMs));
});
