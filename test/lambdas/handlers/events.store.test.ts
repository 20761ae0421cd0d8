import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { beforeAll, describe, expect, test } from 'vitest';
import { handler as recordApplianceEvents } from '../../../lambdas/consumers/recordApplianceEvents.ts';
import { handler as recordContractEvents } from '../../../lambdas/consumers/recordContractEvents.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { acceptConsent, withdrawConsent } from '../../../lambdas/data/contracts/consent.ts';
import { contractKey, toContractItem } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import { appendEvents } from '../../../lambdas/data/feed/append.ts';
import { headKey, keptMs } from '../../../lambdas/data/feed/feed-items.ts';
import { installGrantedGateway } from '../../support/appliance.ts';
import { call } from '../../support/call.ts';
import { companyEvent, companyEvents, notesOf, upTo } from '../../support/feed.ts';
import { applianceRecord, companyRecord } from '../../support/stream-records.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

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

const environment = () => ({ ...world.environment, processTimeMs: () => startMs, queuePoke: async () => undefined });
const recordAppliances = (...Records: DynamoDBRecord[]) => recordApplianceEvents({ Records }, undefined, environment());

/** A company with a gateway since an hour, and what reports that one of its circuits has changed at a time. */
const companyWithGateway = async (overrides: Parameters<typeof onboard>[1] = {}) => {
  const since = { consentedSinceMs: startMs - 60 * minuteMs, acceptedAtMs: startMs - 60 * minuteMs };
  const company = await onboard(world.store, { ...since, ...overrides });
  const { gatewayId } = await installGrantedGateway(world.store, company.companyId);
  const item = (reportedAtMs: number) => ({
    ...circuitItemKey(gatewayId, 'heating', 'c1'),
    ...{ circuitId: 'c1', reported: { operationMode: 'auto', roomSetpointCelsius: reportedAtMs % 30 } },
    ...{ reportedAtMs, version: 1 },
  });
  const changeAt = (atMs: number) => recordAppliances(applianceRecord(++records, item(atMs - 1), item(atMs)));
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
  test('holds what has happened, in its order, and goes on where it ended', async () => {
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

  test('after latest is a cursor alone, behind which nothing is missed', async () => {
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

  test('is refused for the cursor of another company, of a list, and one that somebody has worked on', async () => {
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

test('a cursor older than what is kept is told as expired, with the one to go on with', async () => {
  const { companyId, key } = await onboard(world.store);
  const { nextCursor } = (await readEvents(key.apiKey)).body;
  await appendEvents(world.store, companyId, companyEvents(2), startMs - keptMs - 1);
  await appendEvents(world.store, companyId, companyEvents(1, 3), startMs);
  const { status, body } = await readEvents(key.apiKey, { after: nextCursor });
  expect([status, body.code]).toEqual([410, 'cursor-expired']);
  expect(notesOf((await readEvents(key.apiKey, { after: body.oldestCursor })).body.items)).toEqual([3]);
});

test('a feed that was lost tells all cursors so, and never only falls silent', async () => {
  const { companyId, key } = await onboard(world.store);
  await appendEvents(world.store, companyId, companyEvents(2), startMs);
  const { nextCursor } = (await readEvents(key.apiKey)).body;
  const Key = headKey(companyId);
  await world.store.send(new DeleteCommand({ TableName: world.store.tableName('Events'), Key }));
  expect((await readEvents(key.apiKey, { after: nextCursor })).body.code).toBe('cursor-expired');
});

describe('a change of an appliance', () => {
  const seen = async ({ key }: Pick<Awaited<ReturnType<typeof companyWithGateway>>, 'key'>) => {
    const { items, withheld } = (await readEvents(key.apiKey)).body;
    return [items.map(({ at, type }: { at: string; type: string }) => `${type} ${Date.parse(at) - startMs}`), withheld];
  };

  test('is told to each company that may act on its gateway, and to no other', async () => {
    const [first, stranger] = [await companyWithGateway(), await companyWithGateway()];
    const second = await companyWithGateway();
    await applyGrant(world.store, second.audit(startMs - 10 * minuteMs), {
      ...{ userId: second.contract.userId, gatewayId: first.gatewayId, isGranted: true },
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

  test('is told once, though its record comes again', async () => {
    const company = await companyWithGateway();
    const record = applianceRecord(++records, undefined, {
      ...circuitItemKey(company.gatewayId, 'dhw', 'c1'),
      ...{ circuitId: 'c1', reported: {}, reportedAtMs: startMs, version: 1 },
    });
    await recordAppliances(record);
    await recordAppliances(record, record);
    expect(await seen(company)).toEqual([['circuit.changed 0'], 0]);
  });

  test('is withheld from the next read on when consent is withdrawn, and for good', async () => {
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

  test('is withheld when the gateway is revoked, and stays so when it is granted again', async () => {
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

test('a change of the contract is told also while consent is outdated', async () => {
  const { contract, key, companyId } = await onboard(world.store, { acceptedConsentVersion: 2 });
  const stored = { ...toContractItem(contract), ...contractKey(companyId) };
  const Records = [companyRecord(++records, { ...stored, acceptedConsentVersion: 3 }, stored)];
  const result = await recordContractEvents({ Records }, undefined, environment());
  expect(result).toEqual({ batchItemFailures: [] });
  const { items } = (await readEvents(key.apiKey)).body;
  expect(items).toMatchObject([{ type: 'consent.changed', resource: '/contract', data: { companyId } }]);
});
