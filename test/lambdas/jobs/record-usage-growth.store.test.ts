import type { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { endpoints, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { findUsageProgress, readUsage } from '../../../lambdas/data/usage.ts';
import { sumOfCounts, unpackUsage } from '../../../lambdas/domain/usage.ts';
import { maxLogRows } from '../../../lambdas/runtime/log-queries.ts';
import { campaign } from '../../support/campaign.ts';
import { type CompanyRows, createCountedLog, maxAnswerRows, recordUsageAt } from '../../support/usage.ts';
import { openWorld } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(() => world.takeNewTables('Usage'));

const [minuteMs, hourMs] = [60_000, 3_600_000];
const beginMs = Date.parse('2026-11-20T09:00:00Z');

/** 30 outcomes of a company in an hour, half of them with a second key: 45 rows. */
const outcomes = operationIds.slice(0, 15).flatMap((operation) => [
  { operation, decision: 'allowed', keyId: 'key-one', requests: '40' },
  { operation, decision: 'allowed', keyId: 'key-two', requests: '2' },
  {
    operation,
    decision: 'limited',
    reason: 'rate-limit-exceeded',
    keyId: 'key-one',
    requests: '1',
    ratePolicy: endpoints[operation].ratePolicy,
    path: '/contract',
  },
]);
const rowsOfCompany = outcomes.length;

/** Returns ids in the style of operators: many have the same prefix. */
const companyIdOf = (index: number) =>
  index % 3 === 0 ? `heat${index.toString(36)}` : `${index.toString(36)}energy`.slice(0, 24);

const companiesWith = (companies: number, rows: CompanyRows[1]) =>
  Array.from({ length: companies }, (_, index): CompanyRows => [companyIdOf(index), rows]);

const logOf = (companies: number, options?: { readonly answerRows: number }) =>
  createCountedLog(companiesWith(companies, outcomes), options);

const operationsOf = (number: number): CompanyRows[1] =>
  Array.from({ length: number }, (_, index) => ({ operation: `op${index}`, decision: 'allowed', requests: '1' }));

/** Companies whose counts are stored and checked. */
const samples = [0, 1, 5000, 9999].map(companyIdOf);

/** Expects the correct counts of a company in an hour. */
const expectCounted = async (companyId: string) => {
  const [usage] = (await readUsage(world.store, companyId, { from: '2026-11-20T09', to: '2026-11-20T09' })).values();
  expect(Object.keys(usage?.counts ?? {})).toHaveLength(30);
  expect(sumOfCounts([usage?.counts ?? {}])).toMatchObject({
    'createApiKey allowed': 42,
    'createApiKey limited general': 1,
  });
  expect(usage?.keys).toEqual({ 'key-one allowed': 600, 'key-two allowed': 30, 'key-one limited': 15 });
};

/** Runs the job; returns its queries, pages and stored items, and the most rows and counts that it held at once. */
const measure = async (log: ReturnType<typeof logOf>, nowMs: number) => {
  log.asked.length = 0;
  log.pages.length = 0;
  let [puts, heldCounts, mostCounts] = [0, 0, 0];
  const store = {
    ...world.store,
    send: (async (command: PutCommand) => {
      const { companyId, usage } = command.input.Item ?? {};
      if (usage === undefined) return world.store.send(command);
      const { counts, keys = {} } = unpackUsage(usage);
      puts++;
      heldCounts += Object.keys(counts).length + Object.keys(keys).length;
      // Storing all of them would take minutes.
      return samples.includes(companyId) ? world.store.send(command) : undefined;
    }) as typeof world.store.send,
  };
  const query: typeof log.query = async function* (...asked) {
    mostCounts = Math.max(mostCounts, heldCounts);
    heldCounts = 0;
    yield* log.query(...asked);
  };
  const startMs = performance.now();
  const { queries, companies } = await recordUsageAt(log, nowMs, { store, query });
  mostCounts = Math.max(mostCounts, heldCounts);
  const seconds = (performance.now() - startMs) / 1000;
  expect(queries).toBe(log.asked.length);
  return { companies, queries, pages: log.pages.length, puts, mostRows: Math.max(...log.pages), mostCounts, seconds };
};

const summary = (name: string, { seconds, ...measured }: Awaited<ReturnType<typeof measure>>) =>
  `${name}: ${Object.entries(measured)
    .map(([what, number]) => `${what} ${number}`)
    .join(', ')}, ${seconds.toFixed(1)} s`;

test(
  '10,000 companies are counted an hour at a time, in few queries, with small answers in memory',
  campaign,
  async ({ annotate }) => {
    const companies = 10_000;
    const log = logOf(companies);
    const first = await measure(log, beginMs + 10 * minuteMs);
    await annotate(summary('the first run, which learns where to divide', first));
    const usual = await measure(log, beginMs + 25 * minuteMs);
    await annotate(summary('each further run of an hour', usual));

    // Two queries per range, of outcomes and of limited paths; at most two ranges per full answer.
    const ranges = Math.ceil((companies * rowsOfCompany) / maxAnswerRows);
    expect(usual.queries).toBeLessThanOrEqual(2 * 2 * ranges);
    expect(first.queries).toBeLessThanOrEqual(2 * usual.queries);
    expect(usual.companies).toBe(companies);
    expect(usual.puts).toBe(companies);
    expect(usual.mostRows).toBeLessThanOrEqual(maxLogRows);
    expect(usual.mostCounts).toBeLessThanOrEqual(maxAnswerRows);
    for (const companyId of samples) await expectCounted(companyId);
  },
);

test('300 companies take one query of outcomes and one of limited paths per hour', async ({ annotate }) => {
  const log = logOf(300);
  const run = await measure(log, beginMs + 10 * minuteMs);
  await annotate(summary('a run', run));
  expect(run.queries).toBe(2);
});

test.each([
  ['CloudWatch has no more rows than that', maxAnswerRows, 800],
  ['an answer of stats ends with a page', maxLogRows, 500],
  ['a complete answer has this many rows by chance', maxLogRows, 200],
])('an answer that may be truncated is never counted as complete: %s', async (_, answerRows, companies) => {
  const outcomesOfAll = { 800: 130, 500: 45, 200: 50 }[companies] ?? 0;
  const log = createCountedLog(companiesWith(companies, operationsOf(outcomesOfAll)), { answerRows });
  const run = await recordUsageAt(log, beginMs + 10 * minuteMs);
  expect(run.companies).toBe(companies);
  expect(run.queries).toBeGreaterThan(1);
  for (let index = 0; index < companies; index += 97) {
    const [usage] = (
      await readUsage(world.store, companyIdOf(index), { from: '2026-11-20', to: '2026-11-20' })
    ).values();
    expect(Object.keys(usage?.counts ?? {})).toHaveLength(outcomesOfAll);
  }
});

test('a stage that has become quiet needs only one query again', async () => {
  const busy = logOf(500, { answerRows: maxLogRows });
  await recordUsageAt(busy, beginMs + 10 * minuteMs);
  expect((await findUsageProgress(world.store))?.begins.length).toBeGreaterThan(1);
  const quiet = logOf(20);
  await recordUsageAt(quiet, beginMs + 3 * hourMs);
  expect((await findUsageProgress(world.store))?.begins).toEqual([]);
});

test('a company with more outcomes than an answer holds fails its hour, and no other company', async () => {
  const few = operationsOf(1);
  const log = createCountedLog(
    [
      ['acme', few],
      ['huge', operationsOf(maxLogRows)],
      ['zeta', few],
    ],
    { answerRows: maxLogRows },
  );
  await expect(recordUsageAt(log, beginMs + 10 * minuteMs)).rejects.toThrow('huge has more outcomes in 2026-11-20T09');
  expect((await readUsage(world.store, 'acme', { from: '2026-11-20', to: '2026-11-20' })).size).toBe(1);
});
