import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { maxPageBytes } from '../../../lambdas/api/limits.ts';
import { recordedEvents } from '../../../lambdas/api/log-events/background-events.ts';
import { requestEvent } from '../../../lambdas/api/log-events/request-event.ts';
import { handler as recordApplianceEvents } from '../../../lambdas/consumers/recordApplianceEvents.ts';
import { handler as recordContractEvents } from '../../../lambdas/consumers/recordContractEvents.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { energyOfMonth } from '../../../lambdas/data/appliances/energy.ts';
import { contractKey, toContractItem } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import { acceptConsent, withdrawConsent } from '../../../lambdas/data/contracts/owner-decisions.ts';
import { appendEvents } from '../../../lambdas/data/feed/append.ts';
import { headKey, keptMs, segmentKey } from '../../../lambdas/data/feed/feed-items.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { findWebhook } from '../../../lambdas/data/webhooks/webhooks.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import { readNewestEvents } from '../../../operator/companies/newest-events.ts';
import { installGrantedGateway, reportedCircuits } from '../../support/appliance.ts';
import { call } from '../../support/call.ts';
import {
  applianceRecord,
  companyEvent,
  companyEvents,
  companyRecord,
  newStreamProcess,
  notesOf,
  unavailable,
  upTo,
} from '../../support/feed.ts';
import { operate } from '../../support/operator.ts';
import { putWebhook } from '../../support/webhooks.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

const minuteMs = 60_000;
let world: Awaited<ReturnType<typeof openWorld>>;
let records = 0;
beforeAll(async () => {
  world = await openWorld();
});

type Query = Readonly<Record<string, string>>;

const readEvents = (apiKey: string, query: Query = {}, nowMs = startMs) =>
  call('listEvents', {
    apiKey,
    nowMs,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
  });

const environment = () => ({
  ...world.environment,
  ...newStreamProcess(),
  processTimeMs: () => startMs,
  queueDelivery: async () => undefined,
});
const recordAppliances = (...Records: DynamoDBRecord[]) =>
  recordApplianceEvents.withEnvironment(environment())({ Records }, undefined);

/** Returns a company with a gateway granted an hour ago, and a function that reports a change of its circuit at a time. */
const companyWithGateway = async (overrides: Parameters<typeof onboard>[1] = {}) => {
  const since = { consentedSinceMs: startMs - 60 * minuteMs, acceptedAtMs: startMs - 60 * minuteMs };
  const company = await onboard(world.store, { ...since, ...overrides });
  const { gatewayId } = await installGrantedGateway(world.store, company.companyId);
  const item = (reportedAtMs: number, receivedAtMs = reportedAtMs) => ({
    ...circuitItemKey(gatewayId, 'heating', 'c1'),
    circuitId: 'c1',
    reportedAtMs,
    receivedAtMs,
    version: 1,
    reported: { ...reportedCircuits.heating, roomSetpointCelsius: 5 + (reportedAtMs % 25) },
  });
  const changeAt = (atMs: number, receivedAtMs = atMs) =>
    recordAppliances(applianceRecord(++records, item(atMs - 1, receivedAtMs - 1), item(atMs, receivedAtMs)));
  const audit = (nowMs: number) => ({
    companyId: company.companyId,
    nowMs,
    requestId: 'r',
    operation: 'test',
    actorKey: null,
  });
  return { ...company, gatewayId, changeAt, audit };
};

describe('a page', () => {
  test('has the events in order, and the next page continues after it', async () => {
    const { companyId, key } = await onboard(world.store);
    const begin = await readEvents(key.apiKey);
    expect(begin.body).toEqual({ items: [], nextCursor: expect.any(String), hasMore: false, withheld: 0 });
    expect(begin.headers['x-poll-interval']).toBe('5');
    await appendEvents(world.store, companyId, companyEvents(5), startMs);
    const page = await readEvents(key.apiKey, { after: begin.body.nextCursor, limit: '3' });
    expect([notesOf(page.body.items), page.body.hasMore]).toEqual([[1, 2, 3], true]);
    const rest = await readEvents(key.apiKey, { after: page.body.nextCursor });
    expect([notesOf(rest.body.items), rest.body.hasMore]).toEqual([[4, 5], false]);
    const none = await readEvents(key.apiKey, { after: rest.body.nextCursor });
    expect(none.body).toEqual({ items: [], nextCursor: rest.body.nextCursor, hasMore: false, withheld: 0 });
    expect(notesOf((await readEvents(key.apiKey)).body.items)).toEqual(upTo(5));
  });

  test('ends at a size: no event is missed or repeated', async () => {
    const { companyId, key } = await onboard(world.store);
    const events = companyEvents(30).map((event) => ({ ...event, data: { ...event.data, name: 'x'.repeat(20_000) } }));
    await appendEvents(world.store, companyId, events, startMs);
    const notes: number[] = [];
    let query: Query = {};
    for (let hasMore = true, minute = 0; hasMore; minute++) {
      const { body } = await readEvents(key.apiKey, { limit: '100', ...query }, startMs + minute * minuteMs);
      expect(Buffer.byteLength(JSON.stringify(body.items))).toBeLessThan(maxPageBytes + 2);
      expect(body.withheld).toBe(0);
      notes.push(...notesOf(body.items));
      [hasMore, query] = [body.hasMore, { after: body.nextCursor }];
    }
    expect(notes).toEqual(upTo(30));
  });

  test('after latest has only a cursor, and no later event is missed', async () => {
    const { companyId, key } = await onboard(world.store);
    await appendEvents(world.store, companyId, companyEvents(2), startMs);
    const { body } = await readEvents(key.apiKey, { after: 'latest' });
    expect(body).toEqual({ items: [], nextCursor: expect.any(String), hasMore: false, withheld: 0 });
    await appendEvents(world.store, companyId, companyEvents(1, 3), startMs);
    expect(notesOf((await readEvents(key.apiKey, { after: body.nextCursor })).body.items)).toEqual([3]);
  });

  test.each([{ after: 'x' }, { after: '' }, { limit: '0' }, { limit: '101' }, { limit: '1e1' }])(
    'is refused for the query %o',
    async (query: Query) => {
      const { key } = await onboard(world.store);
      expect((await readEvents(key.apiKey, query)).body.code).toBe('invalid-request');
    },
  );

  test('is refused for the cursor of another company, of a list, and a modified cursor', async () => {
    const [own, other] = [await onboard(world.store), await onboard(world.store)];
    const { nextCursor } = (await readEvents(other.key.apiKey)).body;
    const damaged = nextCursor.slice(0, -1) + (nextCursor.endsWith('A') ? 'B' : 'A');
    for (const [key, after] of [
      [own.key, nextCursor],
      [other.key, damaged],
    ] as const)
      expect((await readEvents(key.apiKey, { after })).body).toMatchObject({
        code: 'invalid-request',
        errors: [{ pointer: '/query/after' }],
      });
  });
});

test('each day of energy has one event, each correction another, and days before the grant have no event', async () => {
  const { key, gatewayId } = await companyWithGateway();
  const month = (heatKwh: Readonly<Record<string, number>>, atMs: number) =>
    energyOfMonth(
      gatewayId,
      Object.entries(heatKwh).map(([day, kwh]) => ({ day, heating: { heatKwh: kwh } })),
      { atMs, receivedAtMs: atMs },
    );
  // The gateway is granted at noon of the tenth, when the eleventh has begun in some time zone.
  const months = [
    month({ '2036-03-09': 1 }, startMs + 1),
    month({ '2036-03-09': 1, '2036-03-10': 2 }, startMs + 2),
    month({ '2036-03-09': 1, '2036-03-10': 2, '2036-03-11': 3 }, startMs + 3),
    month({ '2036-03-09': 9, '2036-03-10': 2, '2036-03-11': 3 }, startMs + 4),
    month({ '2036-03-09': 9, '2036-03-10': 2, '2036-03-11': 4 }, startMs + 5),
    month({ '2036-03-09': 9, '2036-03-10': 2, '2036-03-11': 4 }, startMs + 6),
  ];
  for (const [index, after] of months.entries())
    await recordAppliances(applianceRecord(++records, months[index - 1], after));
  const { items, withheld } = (await readEvents(key.apiKey)).body;
  expect(withheld).toBe(0);
  const resource = `/hvacs/${gatewayId}/energy`;
  expect(items).toMatchObject(
    [3, 4].map((heatKwh) => ({
      type: 'energy.reported',
      gatewayId,
      resource,
      data: { day: '2036-03-11', heating: { heatKwh } },
    })),
  );
  expect(Object.keys(items[0])).not.toContain('day');
});

test('a cursor older than the kept events is expired, and the answer has the oldest valid cursor', async () => {
  const { companyId, key } = await onboard(world.store);
  const { nextCursor } = (await readEvents(key.apiKey)).body;
  await appendEvents(world.store, companyId, companyEvents(2), startMs - keptMs - 1);
  await appendEvents(world.store, companyId, companyEvents(1, 3), startMs);
  const { status, body } = await readEvents(key.apiKey, { after: nextCursor });
  expect([status, body.code]).toEqual([410, 'cursor-expired']);
  expect(notesOf((await readEvents(key.apiKey, { after: body.oldestCursor })).body.items)).toEqual([3]);
});

test('after the loss of a feed every older cursor is expired, instead of returning no events', async () => {
  const { companyId, key } = await onboard(world.store);
  await appendEvents(world.store, companyId, companyEvents(2), startMs);
  const { nextCursor } = (await readEvents(key.apiKey)).body;
  const Key = headKey(companyId);
  await world.store.send(new DeleteCommand({ TableName: world.store.tableName('Events'), Key }));
  expect((await readEvents(key.apiKey, { after: nextCursor })).body.code).toBe('cursor-expired');
});

test('a reader at a gap in the feed gets an expired cursor and is counted; an old cursor is not counted', async () => {
  const { companyId, key } = await onboard(world.store);
  const lines: string[] = [];
  const environment = { ...world.environment, log: (line: string) => void lines.push(line) };
  const readCounted = async (query: Query = {}) => {
    const asked = Object.entries(query).map(([name, value]) => [name, [value]]);
    const { status, body } = await call('listEvents', {
      apiKey: key.apiKey,
      nowMs: startMs,
      query: Object.fromEntries(asked),
      environment,
    });
    const { LostFeedPages } = z.parse(requestEvent, JSON.parse(lines.pop() ?? ''));
    return { status, body, LostFeedPages };
  };
  await appendEvents(world.store, companyId, companyEvents(1), startMs - keptMs - 1);
  const old = await readCounted({ after: 'latest' });
  await appendEvents(world.store, companyId, companyEvents(1, 2), startMs - keptMs - 1);
  for (const first of [3, 5, 7]) await appendEvents(world.store, companyId, companyEvents(2, first), startMs);
  expect(await readCounted({ after: old.body.nextCursor })).toMatchObject({ status: 410, LostFeedPages: 0 });

  const Key = segmentKey(companyId, 6);
  await world.store.send(new DeleteCommand({ TableName: world.store.tableName('Events'), Key }));
  const before = await readCounted();
  expect([notesOf(before.body.items), before.body.hasMore, before.LostFeedPages]).toEqual([[3, 4], true, 0]);
  const lost = await readCounted({ after: before.body.nextCursor });
  expect(lost).toMatchObject({ status: 410, body: { code: 'cursor-expired' }, LostFeedPages: 1 });
  const behind = await readCounted({ after: lost.body.oldestCursor });
  expect([notesOf(behind.body.items), behind.LostFeedPages]).toEqual([[7, 8], 0]);
});

describe('a change of an appliance', () => {
  const seen = async ({ key }: Pick<Awaited<ReturnType<typeof companyWithGateway>>, 'key'>) => {
    const { items, withheld } = (await readEvents(key.apiKey)).body;
    return [items.map(({ at, type }: { at: string; type: string }) => `${type} ${Date.parse(at) - startMs}`), withheld];
  };

  test('has an event for each company that may act on its gateway, and for no other', async () => {
    const [first, stranger] = [await companyWithGateway(), await companyWithGateway()];
    const second = await companyWithGateway();
    await applyGrant(world.store, second.audit(startMs - 10 * minuteMs), {
      userId: second.contract.userId,
      gatewayId: first.gatewayId,
      isGranted: true,
    });
    await first.changeAt(startMs);
    expect([await seen(first), await seen(second), await seen(stranger)]).toEqual([
      [['circuit.changed 0'], 0],
      [['circuit.changed 0'], 0],
      [[], 0],
    ]);
    const ids = await Promise.all(
      [first, second].map(async ({ key }) => (await readEvents(key.apiKey)).body.items[0].id),
    );
    expect(new Set(ids).size).toBe(2);
  });

  test('has one event, even if its record is delivered again', async () => {
    const company = await companyWithGateway();
    const record = applianceRecord(++records, undefined, {
      ...circuitItemKey(company.gatewayId, 'dhw', 'c1'),
      circuitId: 'c1',
      reported: reportedCircuits.dhw,
      reportedAtMs: startMs,
      version: 1,
    });
    await recordAppliances(record);
    await recordAppliances(record, record);
    expect(await seen(company)).toEqual([['circuit.changed 0'], 0]);
  });

  test('is withheld from the next read on after consent is withdrawn, and stays withheld', async () => {
    const company = await companyWithGateway();
    const { userId } = company.contract;
    await company.changeAt(startMs + minuteMs);
    expect(await seen(company)).toEqual([['circuit.changed 60000'], 0]);
    await withdrawConsent(world.store, company.audit(startMs + 2 * minuteMs), { userId });
    expect(await seen(company)).toEqual([[], 1]);
    await company.changeAt(startMs + 2 * minuteMs + 1);
    expect(await seen(company)).toEqual([[], 1]);
    await acceptConsent(world.store, company.audit(startMs + 3 * minuteMs), {
      userId,
      consentVersion: 3,
      requiredVersion: 3,
    });
    await company.changeAt(startMs + 3 * minuteMs);
    expect(await seen(company)).toEqual([['circuit.changed 180000'], 1]);
  });

  test('is shown if it was received after consent, whatever its own time, and counted if received before', async () => {
    const company = await companyWithGateway();
    const { userId } = company.contract;
    await withdrawConsent(world.store, company.audit(startMs), { userId });
    const accepted = { userId, consentVersion: 3, requiredVersion: 3, arrivedAtMs: startMs + 1000 };
    // Uses a clock that is ahead: this does not withhold later events.
    const ahead = { ...company.audit(startMs + 50_000), recordedAtMs: startMs + 1000 };
    await acceptConsent(world.store, ahead, accepted);
    await company.changeAt(startMs - 1, startMs + 2000);
    await company.changeAt(startMs + 3000);
    // The record is only processed now.
    await company.changeAt(startMs + 40_000, startMs + 999);
    expect(await seen(company)).toEqual([['circuit.changed -1', 'circuit.changed 3000'], 1]);
  });

  test('that was not visible when it was recorded leaves only its id, and owes no message', async () => {
    const company = await companyWithGateway({ acceptedConsentVersion: 2 });
    const { webhookId } = await putWebhook(company.companyId);
    await company.changeAt(startMs);
    expect(await seen(company)).toEqual([[], 1]);
    const events = await readNewestEvents(world.store, company.companyId, 10);
    expect(events).toEqual([{ seq: 1, event: { id: expect.stringMatching(/^evt_/) } }]);
    const asked = async () => (await findWebhook(world.store, company.companyId, webhookId))?.asked;
    expect(await asked()).toBe(1);
    const consent = { userId: company.contract.userId, consentVersion: 3, requiredVersion: 3 };
    await acceptConsent(world.store, company.audit(startMs + 1), consent);
    await company.changeAt(startMs + 2);
    expect(await asked()).toBe(2);
  });

  test('is not recorded while the owner has withdrawn: its mere existence would reveal something', async () => {
    const company = await companyWithGateway(noConsent);
    await company.changeAt(startMs);
    expect(await seen(company)).toEqual([[], 0]);
  });

  test('whose viewers cannot be read is logged as a failure, and its record is delivered again', async () => {
    const company = await companyWithGateway();
    const lines: string[] = [];
    const unreadable: Store = {
      ...world.store,
      send: (async () => {
        throw unavailable('The store is away.');
      }) as Store['send'],
    };
    const record = applianceRecord(++records, undefined, {
      ...circuitItemKey(company.gatewayId, 'dhw', 'c1'),
      circuitId: 'c1',
      reported: reportedCircuits.dhw,
      reportedAtMs: startMs,
      version: 1,
    });
    const answer = await recordApplianceEvents.withEnvironment({
      ...environment(),
      store: unreadable,
      log: (line) => void lines.push(line),
    })({ Records: [record] }, undefined);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: record.dynamodb.SequenceNumber }] });
    expect(lines.map((line) => z.parse(recordedEvents, JSON.parse(line)))).toMatchObject([
      {
        operation: 'recordApplianceEvents',
        level: 'ERROR',
        outcome: 'failed',
        error: 'ServiceUnavailable: The store is away.',
      },
    ]);
  });

  test('from before the end of a contract stays withheld after the contract is reinstated', async () => {
    const company = await companyWithGateway();
    await company.changeAt(startMs + 1);
    const run = (nowMs: number, ...commandLine: string[]) =>
      operate([...commandLine, '--reason', 'x'], { store: world.store, nowMs });
    await run(startMs + 2, 'contract', 'end', company.companyId, '--yes');
    const open = ['contract', 'open', company.companyId, '--user', partiesOf(company.companyId).userId];
    expect((await run(startMs + 3, ...open)).exit).toBe('ok');
    await company.changeAt(startMs + 4);
    expect(await seen(company)).toEqual([['circuit.changed 4'], 1]);
  });

  test('is withheld after the gateway is revoked, and stays withheld after it is granted again', async () => {
    const company = await companyWithGateway();
    const { userId } = company.contract;
    const grant = (isGranted: boolean, atMs: number) =>
      applyGrant(world.store, company.audit(atMs), { userId, gatewayId: company.gatewayId, isGranted });
    await company.changeAt(startMs + minuteMs);
    await grant(false, startMs + 2 * minuteMs);
    await company.changeAt(startMs + 2 * minuteMs + 1);
    expect(await seen(company)).toEqual([[], 1]);
    await grant(true, startMs + 3 * minuteMs);
    await company.changeAt(startMs + 3 * minuteMs);
    expect(await seen(company)).toEqual([['circuit.changed 180000'], 1]);
  });

  test.each([
    ['suspended', 403],
    ['ended', 200],
  ] as const)('is not shown while the contract is %s', async (state, expected) => {
    const company = await companyWithGateway({ state });
    const event = { type: 'circuit.changed', userId: company.contract.userId, gatewayId: company.gatewayId } as const;
    await appendEvents(world.store, company.companyId, [companyEvent(1, event), companyEvent(2)], startMs);
    const { status, body } = await readEvents(company.key.apiKey);
    expect(status).toBe(expected);
    if (status === 200) expect([notesOf(body.items), body.withheld]).toEqual([[2], 1]);
  });
});

test('a change of the contract has an event even while consent is outdated', async () => {
  const { contract, key, companyId } = await onboard(world.store, { acceptedConsentVersion: 2 });
  const stored = { ...toContractItem(contract), ...contractKey(partiesOf(companyId)) };
  const Records = [companyRecord(++records, { ...stored, acceptedConsentVersion: 3 }, stored)];
  const result = await recordContractEvents.withEnvironment(environment())({ Records }, undefined);
  expect(result).toEqual({ batchItemFailures: [] });
  const { items } = (await readEvents(key.apiKey)).body;
  expect(items).toMatchObject([{ type: 'consent.changed', resource: '/contract', data: { companyId } }]);
});
