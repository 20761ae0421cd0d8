import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { jobs } from '../../../lambdas/api/background-functions.ts';
import { feedPurgeEvent } from '../../../lambdas/api/log-events/background-events.ts';
import { handler as recordContractEvents } from '../../../lambdas/consumers/recordContractEvents.ts';
import { findContract, toContractItem } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { endContract, withdrawConsent } from '../../../lambdas/data/contracts/owner-decisions.ts';
import { appendEvents } from '../../../lambdas/data/feed/append.ts';
import { notePurge } from '../../../lambdas/data/feed/purge-notes.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import type { FeedEvent } from '../../../lambdas/domain/feed-event.ts';
import { handler } from '../../../lambdas/jobs/purgeFeeds.ts';
import { readNewestEvents } from '../../../operator/companies/newest-events.ts';
import { call } from '../../support/call.ts';
import { companyEvent, contractRecord, newStreamProcess } from '../../support/feed.ts';
import { operatorActOn, overtakenBy, usedActions } from '../../support/store.ts';
import { injectFault, onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let records = 0;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(() => world.takeNewTables('Events'));

const minute = 60_000;
const hour = 60 * minute;

/** Returns a company whose owner has granted two gateways; the feed has an appliance event for each. */
const withFeed = async () => {
  const { companyId, key } = await onboard(world.store);
  const { userId } = partiesOf(companyId);
  for (const gatewayId of ['gw-1', 'gw-2']) await grantGateway(world.store, { companyId, userId }, gatewayId, startMs);
  const events = ['gw-1', 'gw-2'].map((gatewayId) => ofAppliance(gatewayId, userId, 1));
  await appendEvents(world.store, companyId, [companyEvent('own'), ...events], startMs);
  return { companyId, userId, apiKey: key.apiKey };
};

const ofAppliance = (gatewayId: string, userId: string, afterMs: number): FeedEvent =>
  companyEvent(gatewayId, {
    type: 'circuit.changed',
    gatewayId,
    userId,
    receivedAtMs: startMs + afterMs,
    resource: `/hvacs/${gatewayId}/heatingCircuits/hc1`,
    data: {},
  });

/** Withdraws a right of the owner at this time. */
const act = (companyId: string, afterMs: number) => operatorActOn(companyId, startMs + afterMs);
const revoke = (companyId: string, gatewayId: string, afterMs: number, isGranted = false) =>
  applyGrant(world.store, act(companyId, afterMs), { gatewayId, isGranted, userId: partiesOf(companyId).userId });

/** Sends a change of the contract to the recorder. */
const record = async (before: Contract | undefined, after: Contract | undefined) => {
  const environment = {
    ...world.environment,
    ...newStreamProcess(),
    processTimeMs: () => startMs,
    log: () => undefined,
    queueDelivery: async () => undefined,
  };
  const Records = [contractRecord(++records, before && toContractItem(before), after && toContractItem(after))];
  expect(await recordContractEvents.withEnvironment(environment)({ Records }, undefined)).toEqual({
    batchItemFailures: [],
  });
};

/** Runs the job an hour after the recorder noted something; `clock` returns the times that the run sees, one by one. */
const purge = async ({ store = world.store as Store, clock = () => startMs + hour } = {}) => {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const environment = { ...world.environment, store, processTimeMs: clock, log };
  const failure = await handler
    .withEnvironment(environment)(undefined, undefined)
    .then(
      () => undefined,
      (error: Error) => error,
    );
  return { logged: z.parse(feedPurgeEvent, JSON.parse(lines[0] as string)), failure };
};

/** Returns the number of each row of the feed, oldest first, and the type of a whole event. */
const rowsOf = async (companyId: string) =>
  (await readNewestEvents(world.store, companyId, 1000))
    .toReversed()
    .map(({ seq, event }) => [seq, 'type' in event ? event.type : null] as const);

/** Returns a clock that exceeds the run's time after the first page of a feed. */
const lateClock = () => {
  const times = [0];
  return () => startMs + hour + (times.shift() ?? 4 * minute);
};

const afterChange = async (companyId: string, change: () => Promise<unknown>) => {
  const parties = partiesOf(companyId);
  const before = await findContract(world.store, parties);
  await change();
  await record(before, await findContract(world.store, parties));
};

describe('within a day, the rows of a feed lose the events of an appliance', () => {
  test('of a revoked gateway: each keeps its number, counts as withheld, and all others stay', async () => {
    const { companyId, apiKey } = await withFeed();
    await afterChange(companyId, () => revoke(companyId, 'gw-1', 10 * minute));
    expect((await purge()).logged).toMatchObject({ level: 'INFO', companies: 1, removed: 1, unfinished: 0 });
    expect(await rowsOf(companyId)).toEqual([
      [1, 'contract.changed'],
      [2, null],
      [3, 'circuit.changed'],
      [4, 'gateway.removed'],
    ]);
    const { items, withheld } = (await call('listEvents', { apiKey })).body;
    expect([items.map(({ type }: FeedEvent) => type), withheld]).toEqual([
      ['contract.changed', 'circuit.changed', 'gateway.removed'],
      1,
    ]);
  });

  test.each<[string, (companyId: string, userId: string) => Promise<unknown>]>([
    ['whose owner has ended the contract', (id, userId) => endContract(world.store, act(id, 10 * minute), { userId })],
    [
      'whose owner has withdrawn consent',
      (id, userId) => withdrawConsent(world.store, act(id, 10 * minute), { userId }),
    ],
  ])('of a company %s', async (_, takeBack) => {
    const { companyId, userId } = await withFeed();
    await afterChange(companyId, () => takeBack(companyId, userId));
    expect((await purge()).logged).toMatchObject({ removed: 2 });
    expect((await rowsOf(companyId)).filter(([, type]) => type === 'circuit.changed')).toEqual([]);
  });

  test('even if it was granted again meanwhile; later events stay', async () => {
    const { companyId, userId } = await withFeed();
    await afterChange(companyId, () => revoke(companyId, 'gw-1', 10 * minute));
    await revoke(companyId, 'gw-1', 12 * minute, true);
    await appendEvents(world.store, companyId, [ofAppliance('gw-1', userId, 13 * minute)], startMs);
    expect((await purge()).logged).toMatchObject({ removed: 1 });
    expect((await rowsOf(companyId)).map(([, type]) => type)).toEqual([
      ...['contract.changed', null, 'circuit.changed', 'gateway.removed', 'circuit.changed'],
    ]);
  });
});

test('an event recorded under a grant that is given during a run stays', async () => {
  const { companyId, userId } = await withFeed();
  await afterChange(companyId, () => revoke(companyId, 'gw-1', 10 * minute));
  // A run that had already read the contract would attribute the event to the revoked grant.
  const grantAndAppend = async () => {
    await revoke(companyId, 'gw-1', 12 * minute, true);
    await appendEvents(world.store, companyId, [ofAppliance('gw-1', userId, 13 * minute)], startMs);
  };
  let queries = 0;
  const send = async (command: object, ...rest: never[]) => {
    // The first query reads the notes, the second the feed.
    if (command instanceof QueryCommand && ++queries === 2) await grantAndAppend();
    return world.store.send(command as never, ...rest);
  };
  const { logged } = await purge({ store: { ...world.store, send: send as Store['send'] } });
  expect([logged.removed, (await rowsOf(companyId)).at(-1)]).toEqual([1, [5, 'circuit.changed']]);
});

test('feeds without a withdrawal are not read, nor those of a recent one: a recorder may still write', async () => {
  const { companyId } = await withFeed();
  expect((await purge()).logged).toMatchObject({ companies: 0 });
  await afterChange(companyId, () => revoke(companyId, 'gw-1', 10 * minute));
  expect((await purge({ clock: () => startMs + 14 * minute })).logged).toMatchObject({ companies: 0 });
  expect((await purge({ clock: () => startMs + 15 * minute })).logged).toMatchObject({ companies: 1, removed: 1 });
  expect((await purge()).logged).toMatchObject({ companies: 0 });
});

test('a run overtaken by another removes what the other left, and restores nothing', async () => {
  const { companyId, userId } = await withFeed();
  await notePurge(world.store, { companyId, userId }, startMs);
  await revoke(companyId, 'gw-1', 10 * minute);
  const revokeBoth = async () => {
    await revoke(companyId, 'gw-2', 10 * minute);
    expect((await purge()).logged).toMatchObject({ removed: 2 });
  };
  const { logged } = await purge({ store: overtakenBy(world.store, revokeBoth) });
  expect([logged.removed, (await rowsOf(companyId)).map(([, type]) => type)]).toEqual([
    0,
    ['contract.changed', null, null],
  ]);
});

test('a withdrawal while a run ends is processed by the next run', async () => {
  const { companyId, userId } = await withFeed();
  await notePurge(world.store, { companyId, userId }, startMs);
  const again = () => notePurge(world.store, { companyId, userId }, startMs + minute);
  await purge({ store: overtakenBy(world.store, again) });
  expect((await purge()).logged).toMatchObject({ companies: 1 });
});

test('a run that times out stores its position, and the next continues, despite other withdrawals', async () => {
  const { companyId, userId } = await withFeed();
  // Each has its own row; a page of rows ends at 1 MB.
  const large = { note: 'x'.repeat(90_000) };
  for (let index = 0; index < 13; index++)
    await appendEvents(world.store, companyId, [{ ...ofAppliance('gw-2', userId, 1), data: large }], startMs);
  await appendEvents(world.store, companyId, [ofAppliance('gw-1', userId, 1)], startMs);
  await afterChange(companyId, () => revoke(companyId, 'gw-1', 10 * minute));
  const runs = [];
  for (const other of ['another', 'a-third']) {
    const { logged } = await purge({ clock: lateClock() });
    runs.push([logged.removed, logged.unfinished]);
    await notePurge(world.store, { companyId, userId: other }, startMs);
  }
  expect(runs).toEqual([
    [1, 1],
    [1, 1],
  ]);
});

test('a withdrawal during a run that times out is searched for from the beginning', async () => {
  const { companyId, userId } = await withFeed();
  await afterChange(companyId, () => revoke(companyId, 'gw-1', 10 * minute));
  const takeBack = async () => {
    await revoke(companyId, 'gw-2', 11 * minute);
    await notePurge(world.store, { companyId, userId }, startMs + 11 * minute);
  };
  const { logged } = await purge({ store: overtakenBy(world.store, takeBack, 1, UpdateCommand), clock: lateClock() });
  expect([logged.removed, logged.unfinished]).toEqual([1, 1]);
  expect((await purge()).logged).toMatchObject({ companies: 1, removed: 1, unfinished: 0 });
  expect((await rowsOf(companyId)).filter(([, type]) => type === 'circuit.changed')).toEqual([]);
});

test('a run that continues with one owner leaves the events of another owner to the next run', async () => {
  const { companyId, userId } = await withFeed();
  const another = partiesOf('another').userId;
  await appendEvents(world.store, companyId, [ofAppliance('gw-9', another, 1)], startMs);
  await notePurge(world.store, { companyId, userId }, startMs);
  expect((await purge({ clock: lateClock() })).logged).toMatchObject({ removed: 0, unfinished: 1 });
  await notePurge(world.store, { companyId, userId: another }, startMs);
  expect((await purge()).logged).toMatchObject({ removed: 0, unfinished: 1 });
  expect((await purge()).logged).toMatchObject({ companies: 1, removed: 1, unfinished: 0 });
  expect((await purge()).logged).toMatchObject({ companies: 0 });
});

test('a feed that cannot be read does not block others, and is retried by the next run', async () => {
  const [first, second] = [await withFeed(), await withFeed()];
  for (const { companyId, userId } of [first, second]) await notePurge(world.store, { companyId, userId }, startMs);
  for (const { companyId } of [first, second]) await revoke(companyId, 'gw-1', 10 * minute);
  injectFault(world, ({ action, input }) =>
    action === 'Query' && JSON.stringify(input).includes(`"${first.companyId}"`) ? 'deny' : undefined,
  );
  const { logged, failure } = await purge();
  world.proxy.begin();
  expect([logged.level, logged.companies, logged.removed, failure]).toEqual(['ERROR', 2, 1, expect.any(Error)]);
  expect((await purge()).logged).toMatchObject({ level: 'INFO', companies: 1, removed: 1 });
});

test('a run uses only the table actions of its row, and reads with strong consistency', async () => {
  const { companyId } = await withFeed();
  await afterChange(companyId, () => revoke(companyId, 'gw-1', 10 * minute));
  world.proxy.begin();
  await purge();
  const { exchanges } = world.proxy;
  const reads = exchanges.filter(({ action }) => ['Query', 'BatchGetItem'].includes(action));
  expect(
    reads.flatMap(({ input }) =>
      Object.values(input.RequestItems ?? [input]).map((read) => (read as typeof input).ConsistentRead),
    ),
  ).toEqual(reads.map(() => true));
  const granted = Object.entries(jobs.purgeFeeds.tableActions).flatMap(([table, actions]) =>
    actions.map((action) => `${action} on ${table}`),
  );
  expect(usedActions(world.store, exchanges).toSorted()).toEqual(granted.toSorted());
});
