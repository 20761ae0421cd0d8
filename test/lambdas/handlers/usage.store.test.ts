import { beforeAll, expect, test } from 'vitest';
import { defaultUsageDays, usageDays, usageHours } from '../../../lambdas/api/limits.ts';
import { putUsage, putUsageProgress } from '../../../lambdas/data/usage.ts';
import { toDate, toTimestamp } from '../../../lambdas/domain/time.ts';
import { type Counts, hourOf } from '../../../lambdas/domain/usage.ts';
import { progressFrom } from '../../../lambdas/domain/usage-progress.ts';
import { call } from '../../support/call.ts';
import { issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const dayMs = 86_400_000;
const today = toDate(startMs);
const daysAgo = (days: number) => toDate(startMs - days * dayMs);

const put = (companyId: string, hour: string, counts: Counts, limitedPaths: Counts = {}, keys: Counts = {}) =>
  putUsage(world.store, companyId, { hour, usage: { counts, limitedPaths, keys } }, startMs);

const hoursAgo = (hours: number) => hourOf(startMs - hours * 3_600_000);

/** Each call has its own time, so that no bucket is empty. */
let calls = 0;
const ask = (apiKey: string, query: Readonly<Record<string, string>> = {}) =>
  call('getUsage', {
    apiKey,
    nowMs: startMs + 1000 * calls++,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
  });

test('counts are shown by day and operation: a day is the sum of its hours', async () => {
  await world.takeNewTables('Usage');
  const { companyId, key } = await onboard(world.store, { acceptedConsentVersion: null, acceptedAtMs: null });
  const other = await onboard(world.store);
  expect((await ask(key.apiKey)).body).toMatchObject({ asOf: null, items: [], mostLimitedPaths: [] });
  await put(companyId, `${daysAgo(1)}T09`, { 'listGateways allowed': 2 });
  await put(companyId, `${daysAgo(1)}T23`, { 'listGateways allowed': 5 });
  await put(companyId, `${today}T00`, { 'getContract allowed': 1, 'getContract limited general': 20 });
  await put(companyId, `${today}T01`, {
    'getContract allowed': 2,
    'getContract refused consent-outdated': 3,
    'getContract refused company-suspended': 4,
    'getContract failed service-unavailable': 5,
    'createApiKey allowed': 6,
  });
  await put(other.companyId, `${today}T00`, { 'getContract allowed': 1000 });
  await putUsageProgress(world.store, progressFrom(startMs), startMs);

  const { body } = await ask(key.apiKey);
  expect(body).toMatchObject({ from: daysAgo(defaultUsageDays - 1), to: today, asOf: toTimestamp(startMs) });
  const none = { limited: {}, refused: {}, failed: {} };
  expect(body.items).toEqual([
    { day: daysAgo(1), operation: 'listGateways', allowed: 7, ...none },
    { day: today, operation: 'createApiKey', allowed: 6, ...none },
    {
      day: today,
      operation: 'getContract',
      allowed: 3,
      limited: { general: 20 },
      refused: { 'consent-outdated': 3, 'company-suspended': 4 },
      failed: { 'service-unavailable': 5 },
    },
  ]);
});

test('the five paths with the most limited requests in all days together are shown', async () => {
  const { companyId, key } = await onboard(world.store);
  const nth = (index: number, limited: number) => ({ [`getGateway gateway /hvacs/gw-${index}`]: limited });
  await put(companyId, `${daysAgo(1)}T03`, {}, { ...nth(1, 9), ...nth(2, 2), ...nth(3, 1), ...nth(4, 4) });
  await put(companyId, `${today}T00`, {}, { ...nth(1, 1), ...nth(5, 6), ...nth(6, 7), ...nth(2, 3) });
  const shown = async (query = {}) =>
    (await ask(key.apiKey, query)).body.mostLimitedPaths.map(
      ({ operation, ratePolicy, path, limited }: Readonly<Record<string, unknown>>) =>
        `${operation} ${ratePolicy} ${path} ${limited}`,
    );
  expect(await shown()).toEqual([
    'getGateway gateway /hvacs/gw-1 10',
    'getGateway gateway /hvacs/gw-6 7',
    'getGateway gateway /hvacs/gw-5 6',
    'getGateway gateway /hvacs/gw-2 5',
    'getGateway gateway /hvacs/gw-4 4',
  ]);
  expect(await shown({ from: today })).toHaveLength(4);
});

test('by hour, the last 48 hours are shown, each with its day', async () => {
  const { companyId, key } = await onboard(world.store);
  const other = await onboard(world.store);
  const limited = { 'getContract allowed': 3, 'getContract limited general': 20, 'listGateways allowed': 1 };
  await put(companyId, hoursAgo(usageHours), { 'getContract allowed': 100 });
  await put(companyId, hoursAgo(usageHours - 1), { 'getContract allowed': 1 });
  await put(companyId, hoursAgo(0), limited, { 'getContract general /contract': 20 });
  await put(other.companyId, hoursAgo(0), { 'getContract allowed': 1000 });
  const { body } = await ask(key.apiKey, { by: 'hour' });
  const at = (hours: number) => ({ day: hoursAgo(hours).slice(0, 10), hour: `${hoursAgo(hours)}:00:00Z` });
  const none = { limited: {}, refused: {}, failed: {} };
  expect(body).toMatchObject({ from: at(usageHours - 1).day, to: today });
  expect(body.items).toEqual([
    { ...at(usageHours - 1), operation: 'getContract', allowed: 1, ...none },
    { ...at(0), operation: 'getContract', allowed: 3, ...none, limited: { general: 20 } },
    { ...at(0), operation: 'listGateways', allowed: 1, ...none },
  ]);
  expect(body.mostLimitedPaths).toMatchObject([{ path: '/contract', limited: 20 }]);
  expect(body.keys).toEqual([{ keyId: key.keyId, lastUsedOn: today }]);
});

test('by key, each key is shown with its requests and its last hour, followed by deleted keys', async () => {
  const { companyId, key } = await onboard(world.store);
  const other = await onboard(world.store);
  await ask(key.apiKey);
  const unused = await issueKey(world.store, companyId, startMs);
  const { keyId } = key;
  await put(companyId, `${daysAgo(20)}T05`, {}, {}, { [`${keyId} allowed`]: 100, 'gone1 allowed': 1 });
  await put(companyId, `${daysAgo(2)}T05`, {}, {}, { 'gone1 limited': 4, 'gone1 refused': 5, 'gone2 failed': 6 });
  await put(companyId, `${daysAgo(1)}T23`, {}, {}, { [`${keyId} allowed`]: 7, 'gone1 allowed': 3 });
  await put(other.companyId, `${daysAgo(1)}T23`, {}, {}, { 'of-other allowed': 7 });
  const none = { allowed: 0, limited: 0, refused: 0, failed: 0 };
  const { body } = await ask(key.apiKey, { by: 'key' });
  expect(body).toMatchObject({ from: daysAgo(defaultUsageDays - 1), to: today, items: [] });
  const [label, last] = [null, `${daysAgo(1)}T23:00:00Z`];
  expect(body.keys).toEqual([
    { keyId, label, lastUsedOn: today, lastHour: last, requests: { ...none, allowed: 7 } },
    { keyId: unused.keyId, label, lastUsedOn: null, lastHour: null, requests: none },
    {
      keyId: 'gone1',
      label,
      lastUsedOn: daysAgo(1),
      lastHour: last,
      requests: { allowed: 3, limited: 4, refused: 5, failed: 0 },
    },
    {
      keyId: 'gone2',
      label,
      lastUsedOn: daysAgo(2),
      lastHour: `${daysAgo(2)}T05:00:00Z`,
      requests: { ...none, failed: 6 },
    },
  ]);
  const earlier = (await ask(key.apiKey, { by: 'key', from: daysAgo(20), to: daysAgo(20) })).body.keys;
  expect(earlier[0]).toMatchObject({ keyId, lastHour: `${daysAgo(20)}T05:00:00Z`, requests: { allowed: 100 } });
  expect(earlier.map((each: { readonly keyId: string }) => each.keyId)).toEqual([keyId, unused.keyId, 'gone1']);
});

test('each key is shown with the day of its last use, the most recent first', async () => {
  const { companyId, key } = await onboard(world.store);
  await ask(key.apiKey);
  const unused = await issueKey(world.store, companyId, startMs);
  expect((await ask(key.apiKey)).body.keys).toEqual([
    { keyId: key.keyId, lastUsedOn: today },
    { keyId: unused.keyId, lastUsedOn: null },
  ]);
});

test('from and to select the days, both included', async () => {
  const { companyId, key } = await onboard(world.store);
  for (const days of [0, 1, 2, 6, 7, usageDays - 1])
    await put(companyId, `${daysAgo(days)}T00`, { 'getContract allowed': days + 1 });
  const shown = async (query = {}) =>
    (await ask(key.apiKey, query)).body.items.map(({ allowed }: { readonly allowed: number }) => allowed - 1);
  expect(await shown()).toEqual([6, 2, 1, 0]);
  expect(await shown({ from: daysAgo(2), to: daysAgo(1) })).toEqual([2, 1]);
  expect(await shown({ from: daysAgo(usageDays - 1) })).toEqual([usageDays - 1, 7, 6, 2, 1, 0]);
  expect(await shown({ to: daysAgo(usageDays - 1) })).toEqual([usageDays - 1]);
  expect(await shown({ to: daysAgo(-100) })).toEqual([6, 2, 1, 0]);
});

test.each([
  ['a day that is none', { from: '2026-02-30' }, '/query/from', 'Expected a day like'],
  ['an unknown grouping', { by: 'operation' }, '/query/by', 'Expected hour or key'],
  ['a first day of hours', { by: 'hour', from: today }, '/query/from', 'no `from` with `by=hour`'],
  ['a last day of hours', { by: 'hour', to: today }, '/query/to', 'no `to` with `by=hour`'],
  ['a time in place of a day', { to: '2026-11-25T10:00:00Z' }, '/query/to', 'Expected a day like'],
  ['a first day after the last one', { from: today, to: daysAgo(1) }, '/query/from', `no day after ${daysAgo(1)}`],
  ['a first day in the future', { from: daysAgo(-1), to: daysAgo(-2) }, '/query/from', `no day after ${today}`],
  [
    'a first day past the retention',
    { from: daysAgo(usageDays) },
    '/query/from',
    `the first one is ${daysAgo(usageDays - 1)}`,
  ],
  ['a last day past the retention', { to: '2020-01-01' }, '/query/to', `the first one is ${daysAgo(usageDays - 1)}`],
])('%s is refused with what was expected', async (_, query, pointer, detail) => {
  const { key } = await onboard(world.store);
  const { status, body } = await ask(key.apiKey, query);
  expect([status, body.code, body.errors]).toEqual([
    400,
    'invalid-request',
    [{ pointer, detail: expect.stringContaining(detail) }],
  ]);
});
