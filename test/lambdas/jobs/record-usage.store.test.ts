import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { keptLimitedPaths, usageDays } from '../../../lambdas/api/limits.ts';
import { findUsageProgress, readUsage } from '../../../lambdas/data/usage.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { type Counts, hourOf, sumOfCounts, usageByDay } from '../../../lambdas/domain/usage.ts';
import { campaign, playRounds } from '../../support/campaign.ts';
import { below, seededNumbers } from '../../support/random.ts';
import { killedAt } from '../../support/store.ts';
import { createRequestLog, hoursIn, type RequestLine, recordUsageAt } from '../../support/usage.ts';
import { openWorld } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(() => world.takeNewTables('Usage'));

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const beginMs = Date.parse('2026-11-20T09:05:00Z');

const at = (ms: number, line: Partial<RequestLine> = {}): RequestLine => ({
  timestamp: toTimestamp(beginMs + ms),
  operation: 'getContract',
  decision: 'allowed',
  companyId: 'acme',
  path: '/contract',
  ...line,
});

const limited = { decision: 'limited', reason: 'rate-limit-exceeded', ratePolicy: 'general' } as const;

const daysOf = async (companyId = 'acme', from = '2026-11-01', to = '2027-12-31') =>
  usageByDay(await readUsage(world.store, companyId, { from, to }));

const usageOf = async (companyId?: string) =>
  Object.fromEntries([...(await daysOf(companyId))].map(([day, { counts }]) => [day, counts]));

test('requests are counted by day, operation and outcome, only for the company of the key', async () => {
  const log = createRequestLog([
    at(0),
    at(1000),
    ...Array.from({ length: 20 }, () => at(2000, limited)),
    at(3000, { decision: 'refused', reason: 'consent-outdated', operation: 'listGateways' }),
    at(4000, { decision: 'failed', reason: 'service-unavailable' }),
    at(5000, { companyId: 'globex' }),
    // Without a key: an address that had sent too many invalid keys, and an invalid key.
    at(6000, { companyId: undefined as never, decision: 'limited', reason: 'rate-limit-exceeded' }),
    at(7000, { companyId: undefined as never, decision: 'refused', reason: 'api-key-invalid' }),
  ]);
  expect(await recordUsageAt(log, beginMs + minuteMs)).toMatchObject({ level: 'INFO', periods: 1, companies: 2 });
  expect(await usageOf()).toEqual({
    '2026-11-20': {
      'getContract allowed': 2,
      'getContract limited general': 20,
      'getContract failed service-unavailable': 1,
      'listGateways refused consent-outdated': 1,
    },
  });
  expect(await usageOf('globex')).toEqual({ '2026-11-20': { 'getContract allowed': 1 } });
  const day = (await daysOf()).get('2026-11-20');
  expect(day?.limitedPaths).toEqual({ 'getContract general /contract': 20 });
  expect(await findUsageProgress(world.store)).toMatchObject({ countedMs: beginMs + minuteMs });
});

test('the most limited paths of a period are kept', async () => {
  const paths = Array.from({ length: keptLimitedPaths + 5 }, (_, index) =>
    Array.from({ length: index + 1 }, () => at(index, { ...limited, path: `/contracts/${index}` })),
  );
  await recordUsageAt(createRequestLog(paths.flat()), beginMs + minuteMs);
  const day = (await daysOf()).get('2026-11-20');
  expect(Object.values(day?.limitedPaths ?? {}).toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: keptLimitedPaths }, (_, index) => index + 6),
  );
});

/** Returns what a run must have counted: each line that the log has shown by then. */
const oracle = (lines: readonly RequestLine[], companyId: string): Readonly<Record<string, Counts>> => {
  const byDay = Map.groupBy(
    lines.filter((line) => line.companyId === companyId),
    ({ timestamp }) => timestamp.slice(0, 10),
  );
  const nameOf = ({ operation, decision, reason, ratePolicy }: RequestLine) =>
    [operation, decision, ...([decision === 'limited' ? ratePolicy : reason].filter(Boolean) as string[])].join(' ');
  return Object.fromEntries(
    [...byDay].map(([day, ofDay]) => [day, sumOfCounts(ofDay.map((line) => ({ [nameOf(line)]: 1 })))]),
  );
};

test(
  'every request is counted once in its day, despite late lines, failing and concurrent runs',
  campaign,
  async ({ annotate }) => {
    await playRounds({ annotate }, { test: 2, seconds: 20, full: 200 }, async (seed) => {
      await world.takeNewTables('Usage');
      const random = seededNumbers(seed);
      const pick = <T>(choices: readonly T[]) => choices[below(random, choices.length)] as T;
      const outcomes = [{}, limited, { decision: 'refused', reason: 'consent-outdated' }] as const;
      const lines = Array.from({ length: 400 }, () => {
        const ms = below(random, 60 * hourMs);
        const line = at(ms, { ...pick(outcomes), companyId: pick(['acme', 'globex']) });
        return { ...line, seenAtMs: beginMs + ms + pick([0, minuteMs, 4 * minuteMs]) };
      });
      const log = createRequestLog(lines);
      let nowMs = beginMs;
      while (nowMs < beginMs + 63 * hourMs) {
        const killed = killedAt(world.store, below(random, 8), pick([true, false]));
        // The stage counts from its first run on, if that run can store its progress.
        const store = nowMs === beginMs ? world.store : pick([world.store, world.store, killed]);
        const beside = pick([[], [nowMs - 1000]]).map((besideMs) => recordUsageAt(log, besideMs));
        await Promise.allSettled([recordUsageAt(log, nowMs, { store }), ...beside]);
        nowMs += pick([15 * minuteMs, 15 * minuteMs, 40 * minuteMs, 5 * hourMs]);
      }
      // If the store is busy for a moment, one of the next runs counts the hour.
      const isCounted = () =>
        recordUsageAt(log, nowMs).then(
          () => true,
          () => false,
        );
      while (!(await isCounted()) && nowMs < beginMs + 90 * hourMs) nowMs += 15 * minuteMs;
      for (const companyId of ['acme', 'globex']) expect(await usageOf(companyId)).toEqual(oracle(lines, companyId));
    });
  },
);

test('the requests of each key are counted by decision', async () => {
  const log = createRequestLog([
    at(0, { keyId: 'old' }),
    at(1000, { keyId: 'new' }),
    at(2000, { keyId: 'new', operation: 'listGateways' }),
    at(3000, { keyId: 'new', ...limited }),
    at(4000),
  ]);
  await recordUsageAt(log, beginMs + minuteMs);
  const [hour] = (await readUsage(world.store, 'acme', { from: '2026-11-20', to: '2026-11-20' })).values();
  expect(hour?.keys).toEqual({ 'old allowed': 1, 'new allowed': 2, 'new limited': 1 });
  expect(hour?.counts).toMatchObject({ 'getContract allowed': 3, 'listGateways allowed': 1 });
});

test('an hour is counted again two hours after its end, with late lines, and then never again', async () => {
  const endMs = Date.parse('2026-11-20T10:00:00Z');
  const log = createRequestLog([at(0), { ...at(1000), seenAtMs: endMs + hourMs }]);
  const runAt = (ms: number) => recordUsageAt(log, ms);
  await runAt(beginMs);
  for (let ms = beginMs + minuteMs; ms < endMs + 2 * hourMs; ms += 15 * minuteMs) await runAt(ms);
  expect(await usageOf()).toEqual({ '2026-11-20': { 'getContract allowed': 1 } });
  await runAt(endMs + 2 * hourMs);
  expect(await usageOf()).toEqual({ '2026-11-20': { 'getContract allowed': 2 } });
  log.asked.length = 0;
  for (let ms = 15 * minuteMs; ms < 40 * hourMs; ms += hourMs) await runAt(endMs + 2 * hourMs + ms);
  expect(hoursIn(log.asked)).not.toContain('2026-11-20T09');
});

test.each([
  ['was answered after the end of its hour', 'T09:59:58Z', 5000],
  ['has a line from before its hour, by another clock', 'T10:00:01Z', -5000],
])('a request that %s is counted in its own hour', async (_, time, writtenAfterMs) => {
  const timestamp = `2026-11-20${time}`;
  const log = createRequestLog([at(0, { timestamp, writtenAfterMs })]);
  await recordUsageAt(log, beginMs);
  await recordUsageAt(log, Date.parse(timestamp) + 4 * minuteMs);
  const usage = await readUsage(world.store, 'acme', { from: '2026-11-20', to: '2026-11-20' });
  expect([...usage.keys()]).toEqual([timestamp.slice(0, 13)]);
});

test('a run stores its progress after each hour, and the latest progress wins', async () => {
  await recordUsageAt(createRequestLog([]), beginMs);
  await recordUsageAt(createRequestLog([at(0), at(hourMs)]), beginMs + 5 * hourMs);
  expect(await findUsageProgress(world.store)).toMatchObject({
    settledMs: Date.parse('2026-11-20T12:00:00Z'),
    countedMs: beginMs + 5 * hourMs,
  });
});

test('an earlier run never overwrites a later one, whichever ends first', async () => {
  const log = createRequestLog([at(0), at(minuteMs)]);
  const overtaking = async function* (...asked: Parameters<typeof log.query>) {
    const isFirst = log.asked.length === 0;
    yield* log.query(...asked);
    if (isFirst) await recordUsageAt(log, beginMs + 2 * minuteMs);
  };
  await recordUsageAt(log, beginMs + 1000, { query: overtaking });
  expect(await usageOf()).toEqual({ '2026-11-20': { 'getContract allowed': 2 } });
  expect(await findUsageProgress(world.store)).toMatchObject({ countedMs: beginMs + 2 * minuteMs });
});

test('no query covers a time before the stage started to count or before the log’s retention', async () => {
  const log = createRequestLog([]);
  await recordUsageAt(log, beginMs);
  await recordUsageAt(log, beginMs + minuteMs);
  expect(new Set(hoursIn(log.asked))).toEqual(new Set(['2026-11-20T09']));
  log.asked.length = 0;
  // No run has counted for a year.
  const nowMs = beginMs + 365 * dayMs;
  await recordUsageAt(log, nowMs, { logRetentionDays: 7 });
  expect(hoursIn(log.asked).toSorted()[0]).toBe(hourOf(nowMs - 7 * dayMs));
  expect(log.asked).toHaveLength(7 * 24 + 1);
});

test('a manual run counts everything from a day on again, within the retention', async () => {
  const lines = [at(-3 * dayMs), at(-2 * dayMs), at(0)];
  const log = createRequestLog(lines);
  await recordUsageAt(log, beginMs + minuteMs);
  expect(await usageOf()).toEqual(oracle(lines.slice(2), 'acme'));
  await recordUsageAt(log, beginMs + 2 * minuteMs, { input: { since: '2026-11-01' } });
  expect(await usageOf()).toEqual(oracle(lines, 'acme'));
  for (const since of ['yesterday', toTimestamp(beginMs + 1)])
    await expect(recordUsageAt(log, beginMs, { input: { since } })).rejects.toThrow(`"${since}"`);
});

test('counts expire when their day can no longer be requested', async () => {
  const log = createRequestLog([at(0)]);
  await recordUsageAt(log, beginMs);
  const { Items = [] } = await world.store.send(new ScanCommand({ TableName: world.store.tableName('Usage') }));
  const removals = Object.fromEntries(Items.map(({ sk, removeAt }) => [sk, removeAt]));
  expect(removals).toEqual({ progress: undefined, '2026-11-20T09': expect.any(Number) });
  const lastAskedMs = Date.parse('2026-11-20') + usageDays * dayMs;
  expect(removals['2026-11-20T09'] * 1000).toBeGreaterThanOrEqual(lastAskedMs);
});
