import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { consumedUnitsOf } from 'serve-stack/dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listChangesOpenSince } from '../../../lambdas/data/appliances/open-since-index.ts';
import { addMonths } from '../../../lambdas/domain/time.ts';
import { fulfilChanges, installGateway } from '../../support/appliance.ts';
import { call, type EquippedCompany, equipCompany, goodCall } from '../../support/call.ts';
import { operateForJson } from '../../support/operator.ts';
import { consistencyOf, overtakenBy } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let company: EquippedCompany;
beforeAll(async () => {
  world = await openWorld();
  company = await equipCompany(world.store);
});

const hour = 3_600_000;
const update = (nowMs: number) => call('updateHeatingCircuit', { ...goodCall('updateHeatingCircuit', company), nowMs });

const confirm = (atMs: number) => fulfilChanges(world.store, company.gatewayId, atMs);

const readUnitsOf = async (line: readonly string[], nowMs: number): Promise<number> => {
  world.proxy.begin();
  await operateForJson(line, { ...world, nowMs });
  return world.proxy.exchanges
    .flatMap(({ action, output }) => consumedUnitsOf(action, Buffer.from(JSON.stringify(output))))
    .reduce((sum, { readUnits }) => sum + readUnits, 0);
};

const times = (count: number, act: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, act));

describe('the reads of a command do not depend on unrelated items:', () => {
  const later = addMonths(startMs, 5);
  const moreGateways = () => times(10, () => installGateway(world.store));

  test.each([
    ['change list', 'gateways without an open change', ['change', 'list'], moreGateways],
    ['company list', 'gateways', ['company', 'list'], moreGateways],
    ['address check', 'gateways', ['address', 'check', '192.0.2.7'], moreGateways],
    [
      'key expiring',
      'companies whose keys last longer',
      ['key', 'expiring', '--within', '40d'],
      () => times(20, () => onboard(world.store, { nowMs: later })),
    ],
  ])('%s with more %s', async (_, __, line, addMore) => {
    await update(startMs);
    const before = await readUnitsOf(line, later);
    expect(before).toBeGreaterThan(0);
    await addMore();
    expect(await readUnitsOf(line, later)).toBe(before);
  });
});

/** docs/limits.md uses these numbers. Each company has a key and an active contract. */
test.each([
  [['key', 'expiring', '--within', '40d'], 0],
  [['address', 'check', '192.0.2.7'], 0.5],
  [['company', 'list'], 1.5],
  [['doctor'], 4],
])('%j needs, per further company, %d read units', async (line, units) => {
  const before = await readUnitsOf(line, startMs);
  await times(20, () => onboard(world.store));
  // DynamoDB rounds a page up to the next half unit or whole unit.
  expect(Math.abs((await readUnitsOf(line, startMs)) - before - 20 * units)).toBeLessThanOrEqual(6);
});

describe('a change is listed', () => {
  const listed = (beforeMs: number, limit = 10) => listChangesOpenSince(world.store, beforeMs, limit);
  // All gateways share one list.
  beforeEach(async () => {
    await world.takeNewTables('Appliances');
    company = await equipCompany(world.store);
  });

  test('from the request of the first open change until all changes are applied', async () => {
    const since = startMs + 2 * hour;
    await update(since);
    await update(since + hour);
    expect((await listed(since)).changes).toEqual([]);
    const { changes, hasMore } = await listed(since + 1);
    expect([changes.length, hasMore]).toEqual([1, false]);
    expect(changes[0]).toMatchObject({
      openSince: new Date(since).toISOString(),
      desiredAtMs: since + hour,
      gatewayId: company.gatewayId,
    });
    await confirm(since + 2 * hour);
    expect((await listed(since + 3 * hour)).changes).toEqual([]);
    await update(since + 4 * hour);
    expect((await listed(since + 5 * hour)).changes).toMatchObject([
      { openSince: new Date(since + 4 * hour).toISOString() },
    ]);
    await confirm(since + 5 * hour);
  });

  test('with the current state of its item, since an index may be out of date', async () => {
    const since = startMs + 10 * hour;
    await update(since);
    const confirmed = overtakenBy(world.store, () => confirm(since + hour), 1, BatchGetCommand);
    expect((await listChangesOpenSince(confirmed, since + 1, 10)).changes).toEqual([]);
    await update(since + 2 * hour);
    // Reads eight partitions of the index, and the item.
    expect(await consistencyOf(() => listed(since + 3 * hour))).toEqual([...Array(8).fill(false), true]);
    await confirm(since + 3 * hour);
  });

  test('in order of age, the oldest first, across partitions and pages', async () => {
    const since = startMs + 20 * hour;
    for (let index = 0; index < 12; index++) {
      company = await equipCompany(world.store, { nowMs: startMs });
      await update(since + index);
    }
    const { changes, hasMore } = await listed(since + hour, 5);
    expect(changes.map(({ desiredAtMs = 0 }) => desiredAtMs - since)).toEqual([0, 1, 2, 3, 4]);
    expect([hasMore, (await listed(since + hour, 12)).hasMore]).toEqual([true, false]);
  });
});
