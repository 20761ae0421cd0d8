import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { keptLimitedPaths, usageDays } from '../../../lambdas/api/limits.ts';
import { findUsageProgress, readUsage } from '../../../lambdas/data/usage.ts';
import { toDate, toTimestamp } from '../../../lambdas/domain/time.ts';
import { added, type Counts } from '../../../lambdas/domain/usage.ts';
import { campaign, playRounds } from '../../support/campaign.ts';
import { below, seededNumbers } from '../../support/random.ts';
import { killedAt } from '../../support/store.ts';
import { createRequestLog, type RequestLine, recordUsageAt } from '../../support/usage.ts';
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

const usageOf = async (companyId = 'acme', from = '2026-11-01', to = '2026-12-31') =>
  Object.fromEntries(
    [...(await readUsage(world.store, companyId, { from, to }))].map(([day, { counts }]) => [day, counts]),
  );

test('what became of requests is counted by day and operation, with policy or code, for the company of the key alone', async () => {
  const log = createRequestLog([
    at(0),
    at(1000),
    ...Array.from({ length: 20 }, () => at(2000, limited)),
    at(3000, { decision: 'refused', reason: 'consent-outdated', operation: 'listGateways' }),
    at(4000, { decision: 'failed', reason: 'service-unavailable' }),
    at(5000, { companyId: 'globex' }),
    // Of no key: an address that had sent too many, and a key that is none.
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
  const day = (await readUsage(world.store, 'acme', { from: '2026-11-20', to: '2026-11-20' })).get('2026-11-20');
  expect(day?.limitedPaths).toEqual({ 'getContract general /contract': 20 });
  expect(await findUsageProgress(world.store)).toMatchObject({ countedMs: beginMs + minuteMs });
});

test('of the paths of a period those are kept that were limited most', async () => {
  const paths = Array.from({ length: keptLimitedPaths + 5 }, (_, index) =>
    Array.from({ length: index + 1 }, () => at(index, { ...limited, path: `/contracts/${index}` })),
  );
  await recordUsageAt(createRequestLog(paths.flat()), beginMs + minuteMs);
  const day = (await readUsage(world.store, 'acme', { from: '2026-11-20', to: '2026-11-20' })).get('2026-11-20');
  expect(Object.values(day?.limitedPaths ?? {}).toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: keptLimitedPaths }, (_, index) => index + 6),
  );
});

/** What a run at some time has to have counted: each line that the log has shown by then. */
const oracle = (lines: readonly RequestLine[], companyId: string): Readonly<Record<string, Counts>> => {
  const byDay = Map.groupBy(
    lines.filter((line) => line.companyId === companyId),
    ({ timestamp }) => timestamp.slice(0, 10),
  );
  const nameOf = ({ operation, decision, reason, ratePolicy }: RequestLine) =>
    [operation, decision, ...([decision === 'limited' ? ratePolicy : reason].filter(Boolean) as string[])].join(' ');
  return Object.fromEntries(
    [...byDay].map(([day, ofDay]) => [day, added(ofDay.map((line) => ({ [nameOf(line)]: 1 })))]),
  );
};

test(
  'every request is counted once in its day, however late its line, whenever runs begin, fail and die, and whatever runs beside them',
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
        const store = pick([world.store, world.store, killedAt(world.store, below(random, 8), pick([true, false]))]);
        const beside = pick([[], [recordUsageAt(log, nowMs - 1000)]]);
        await Promise.allSettled([recordUsageAt(log, nowMs, { store }), ...beside]);
        nowMs += pick([15 * minuteMs, 15 * minuteMs, 40 * minuteMs, 5 * hourMs]);
      }
      await recordUsageAt(log, nowMs);
      for (const companyId of ['acme', 'globex']) expect(await usageOf(companyId)).toEqual(oracle(lines, companyId));
    });
  },
);

test('a day is counted once more as a whole two hours after its end, with what was late for its hours', async () => {
  const endMs = Date.parse('2026-11-21T00:00:00Z');
  const log = createRequestLog([at(0), { ...at(hourMs), seenAtMs: endMs + hourMs }]);
  const runAt = (ms: number) => recordUsageAt(log, ms);
  await runAt(beginMs);
  for (let ms = beginMs + minuteMs; ms < endMs + 2 * hourMs; ms += 15 * minuteMs) await runAt(ms);
  expect(await usageOf()).toEqual({ '2026-11-20': { 'getContract allowed': 1 } });
  await runAt(endMs + 2 * hourMs);
  expect(await usageOf()).toEqual({ '2026-11-20': { 'getContract allowed': 2 } });
  log.asked.length = 0;
  await runAt(endMs + 2 * hourMs + 15 * minuteMs);
  expect(log.asked.filter((query) => query.includes('/^2026-11-20'))).toEqual([]);
});

test('an answer that may be cut off is never taken for the whole: it is asked for in shorter periods', async () => {
  // More outcomes in an hour than CloudWatch gives, and few in each ten minutes.
  const companies = Array.from({ length: 420 }, (_, index) => `company${index}`);
  const lines = companies.flatMap((companyId, index) =>
    operationIds.slice(0, 25).map((operation) => at((index % 6) * 600_000, { companyId, operation })),
  );
  const all = [
    ...lines,
    ...lines.slice(0, 30).map((line) => ({ ...line, timestamp: toTimestamp(Date.parse(line.timestamp) + 600_000) })),
  ];
  const log = createRequestLog(all);
  const { queries } = await recordUsageAt(log, beginMs + 50 * minuteMs);
  expect(queries).toBe(7);
  for (const companyId of ['company0', 'company1', 'company419'])
    expect(await usageOf(companyId)).toEqual(
      oracle(
        all.filter(({ timestamp }) => timestamp < '2026-11-20T10'),
        companyId,
      ),
    );
});

test('a run that has counted earlier never takes the place of a later one, whichever ends first', async () => {
  const log = createRequestLog([at(0), at(minuteMs)]);
  const overtaking = async (...asked: Parameters<typeof log.query>) => {
    const answer = await log.query(...asked);
    if (asked[0].includes('sort') || log.asked.length > 1) return answer;
    await recordUsageAt(log, beginMs + 2 * minuteMs);
    return answer;
  };
  await recordUsageAt(log, beginMs + 1000, { query: overtaking });
  expect(await usageOf()).toEqual({ '2026-11-20': { 'getContract allowed': 2 } });
  expect(await findUsageProgress(world.store)).toMatchObject({ countedMs: beginMs + 2 * minuteMs });
});

test('nothing is asked of a time before the stage began to count, or of which the log is forgotten', async () => {
  const log = createRequestLog([]);
  await recordUsageAt(log, beginMs);
  await recordUsageAt(log, beginMs + minuteMs);
  expect(log.asked.every((query) => query.includes('/^2026-11-20T09/'))).toBe(true);
  log.asked.length = 0;
  // Nobody has counted for a year.
  await recordUsageAt(log, beginMs + 365 * dayMs, { logRetentionDays: 7 });
  const days = log.asked.flatMap((query) => /\/\^(\S{10})\//.exec(query)?.[1] ?? []);
  expect(days[0]).toBe(toDate(beginMs + 358 * dayMs));
  expect(days).toHaveLength(7);
});

test('by hand all from a day on is counted again, as long as it is kept', async () => {
  const lines = [at(-3 * dayMs), at(-2 * dayMs), at(0)];
  const log = createRequestLog(lines);
  await recordUsageAt(log, beginMs + minuteMs);
  expect(await usageOf()).toEqual(oracle(lines.slice(2), 'acme'));
  await recordUsageAt(log, beginMs + 2 * minuteMs, { input: { since: '2026-11-01' } });
  expect(await usageOf()).toEqual(oracle(lines, 'acme'));
  await expect(recordUsageAt(log, beginMs, { input: { since: 'yesterday' } })).rejects.toThrow('"yesterday"');
});

test('a run whose log does not answer says so, and leaves the counts as they are and the time up to which they hold', async () => {
  const log = createRequestLog([at(0)]);
  await recordUsageAt(log, beginMs);
  const failing = () => recordUsageAt(log, beginMs + hourMs, { query: () => Promise.reject(new Error('no answer')) });
  await expect(failing()).rejects.toThrow('no answer');
  expect(await findUsageProgress(world.store)).toMatchObject({ countedMs: beginMs });
  expect(await usageOf()).toEqual({ '2026-11-20': { 'getContract allowed': 1 } });
});

test('counts leave the table when nobody may ask for them any more, those of hours before', async () => {
  const log = createRequestLog([at(0)]);
  await recordUsageAt(log, beginMs);
  const removals = async () => {
    const { Items = [] } = await world.store.send(new ScanCommand({ TableName: world.store.tableName('Usage') }));
    return Object.fromEntries(Items.map(({ sk, removeAt }) => [sk, removeAt && toTimestamp(removeAt * 1000)]));
  };
  expect(await removals()).toEqual({ progress: undefined, '2026-11-20T09': '2026-11-23T10:00:00Z' });
  await recordUsageAt(log, beginMs + 2 * dayMs);
  const lastAsked = Date.parse('2026-11-20') + usageDays * dayMs;
  expect(Date.parse(String((await removals())['2026-11-20']))).toBeGreaterThanOrEqual(lastAsked);
});
