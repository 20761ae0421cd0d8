import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { expiryEvent } from '../../lambdas/api/log-events/background-events.ts';
import { requestedChange } from '../../lambdas/api/requested-change.ts';
import { circuitItemKey, readShadow } from '../../lambdas/data/appliances/appliances.ts';
import { openFrom } from '../../lambdas/data/appliances/open-since-index.ts';
import type { Shadow } from '../../lambdas/domain/appliance.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { dropExpiredChanges } from '../../lambdas/outbound/drop-expired-changes.ts';
import { reportedCircuits } from '../support/appliance.ts';
import { unavailable } from '../support/feed.ts';
import { auditIn } from '../support/stage/rows.ts';
import { feedOf, openStage, type Stage } from '../support/stage/stage.ts';
import { type Home, homeOf, requestOn, sendEvent, settle } from '../support/stage/traffic.ts';

const home = homeOf(1);
/** Another company of the same owner, and another home in the same partition of the index. */
const other: Home = { ...homeOf(2), userId: home.userId, gatewayId: home.gatewayId };
const partitionOf = ({ gatewayId }: Home) => openFrom(gatewayId, 0)[':openPartition'];
const homes = Array.from({ length: 100 }, (_, index) => homeOf(3 + index));
const neighbour = homes.find((each) => partitionOf(each) === partitionOf(home)) as Home;

const minuteMs = 60_000;
const before = { ...reportedCircuits.heating, roomTemperatureCelsius: 20 };
const warm = { roomSetpointCelsius: 29.5 };

let stage: Stage;
beforeEach(async () => {
  stage = openStage();
  await settle(stage, [home, other, neighbour]);
});

const connect = async (connectivity: 'online' | 'offline') => {
  sendEvent(stage, 'gateway.connectivity.v1', home, { connectivity });
  await stage.pass();
};

const keyOf = ({ gatewayId }: Home) => circuitItemKey(gatewayId, 'heating', 'hc1');
const circuit = (of = home) => readShadow(stage.store, keyOf(of)) as Promise<Shadow>;

/** Requests settings that expire after that time, or never; returns the version. */
const ask = (values: object, afterMs?: number, by = home) =>
  requestOn(stage, by, keyOf(by), { values, ...(afterMs && { validUntilMs: stage.now() + afterMs }) });

const report = (fulfilsVersion: number, values: object = warm) =>
  sendEvent(stage, 'circuit.reported.v1', home, {
    circuitId: 'hc1',
    reported: { ...before, ...values },
    fulfilsVersion,
  });

/** The messages to the gateway backend, oldest first. */
const sent = () =>
  stage.queues.requestedChanges.bodies().map((body) => z.parse(requestedChange(), JSON.parse(body)).data);

const runs = () =>
  stage.lines.map((line) => JSON.parse(line)).filter(({ operation }) => operation === 'dropExpiredChanges');

const drops = () => auditIn(stage.memory.now()).filter(({ after }) => after?.dropped !== undefined);

describe('a change with an end', () => {
  test('is sent with it, shown as pending until it, and dropped within a minute of it', async () => {
    const askedMs = stage.now();
    const version = await ask(warm, 5 * minuteMs);
    await stage.pass();
    const validUntil = toTimestamp(askedMs + 5 * minuteMs);
    expect(sent()).toMatchObject([{ version, desired: warm, validUntil: { roomSetpointCelsius: validUntil } }]);
    expect(feedOf(stage, other.companyId).at(-1)?.data).toMatchObject({ ...warm, state: 'pending', validUntil });
    await connect('offline');

    stage.idle(askedMs + 5 * minuteMs - stage.now() - 1);
    await stage.pass();
    expect(await circuit()).toMatchObject({ version, desired: warm });
    stage.idle(minuteMs - 1000);
    const droppedMs = stage.now();
    await stage.pass();
    const lastDropped = { version, at: toTimestamp(droppedMs), reason: 'expired' };
    expect(await circuit()).toMatchObject({ version: version + 1, reported: before, lastDropped: { version } });
    for (const name of ['desired', 'desiredBy', 'openSince', 'openUntil', 'openPartition'])
      expect(await circuit()).not.toHaveProperty(name);
    const parties = { subject: home.companyId, userId: home.userId, gatewayId: home.gatewayId, circuitId: 'hc1' };
    expect(drops()).toMatchObject([
      {
        ...parties,
        ...{ operation: 'dropExpiredChanges', actorKeyId: null, requestId: `r-${askedMs}` },
        at: toTimestamp(droppedMs),
        before: warm,
        after: { dropped: 'expired', version: version + 1 },
      },
    ]);
    const { roomSetpointCelsius } = before;
    const shown = { state: 'confirmed', version: version + 1, roomSetpointCelsius, lastDropped };
    const newest = feedOf(stage, other.companyId).at(-1);
    expect(newest).toMatchObject({ type: 'circuit.changed', data: shown });
    expect(newest?.data).not.toHaveProperty('validUntil');
    expect(sent().at(-1)).toEqual(expect.objectContaining({ version: version + 1, desired: { roomSetpointCelsius } }));
    expect(sent().at(-1)).not.toHaveProperty('validUntil');
    expect(z.parse(expiryEvent, runs().at(-1))).toMatchObject({ level: 'INFO', dropped: 1, failed: 0 });

    // The appliance applied it all the same: its report is the truth, and confirms nothing.
    report(version);
    await stage.pass();
    expect(await circuit()).toMatchObject({ reported: warm, lastDropped: { reason: 'expired' } });
  });

  test('has it for its own properties alone, and a later request of a property has its own end or none', async () => {
    const askedMs = stage.now();
    const ends = async () => {
      const { openUntil, desiredBy = {} } = (await circuit()) as Shadow & { readonly openUntil?: string };
      const each = Object.entries(desiredBy).map(([name, { validUntilMs }]) => [
        name,
        validUntilMs && validUntilMs - askedMs,
      ]);
      return { ...Object.fromEntries(each), first: openUntil && Date.parse(openUntil) - askedMs };
    };
    await ask({ roomSetpointCelsius: 22, operationMode: 'manual' }, 3 * minuteMs);
    expect(await ends()).toEqual({ roomSetpointCelsius: 180_000, operationMode: 180_000, first: 180_000 });
    await ask({ operationMode: 'off' }, 2 * minuteMs, other);
    expect(await ends()).toEqual({ roomSetpointCelsius: 180_000, operationMode: 120_000, first: 120_000 });
    await ask({ operationMode: 'auto' });
    expect(await ends()).toEqual({ roomSetpointCelsius: 180_000, operationMode: undefined, first: 180_000 });
    await ask({ roomSetpointCelsius: 21 });
    expect(await ends()).toEqual({ roomSetpointCelsius: undefined, operationMode: undefined, first: undefined });
    stage.idle(10 * minuteMs);
    await stage.pass();
    expect(await circuit()).toMatchObject({ version: 5, desired: { roomSetpointCelsius: 21, operationMode: 'auto' } });
  });

  test('is dropped alone: what others asked for stays open, with its own end, and is sent', async () => {
    await ask(warm, 2 * minuteMs);
    await ask({ activeTimeProgramId: '2' }, 60 * minuteMs, other);
    await ask({ operationMode: 'off' }, undefined, other);
    await stage.pass();
    const [, , { validUntil }] = sent() as never as [unknown, unknown, { validUntil: object }];
    expect(Object.keys(validUntil).toSorted()).toEqual(['activeTimeProgramId', 'roomSetpointCelsius']);
    stage.idle(3 * minuteMs);
    await stage.pass();
    const left = { activeTimeProgramId: '2', operationMode: 'off' };
    const item = await circuit();
    expect(item).toMatchObject({ version: 5, lastDropped: { version: 2, names: ['roomSetpointCelsius'] } });
    expect(item.desired).toEqual(left);
    expect(item).toHaveProperty(
      'openUntil',
      new Date(item.desiredBy?.activeTimeProgramId?.validUntilMs ?? 0).toISOString(),
    );
    expect(sent().at(-1)).toMatchObject({
      version: 5,
      desired: { ...left, roomSetpointCelsius: before.roomSetpointCelsius },
      validUntil: { activeTimeProgramId: expect.any(String) },
      companyId: other.companyId,
    });
  });

  test('that is dropped after a newer one leaves the newest version in lastDropped', async () => {
    await ask(warm, 60 * minuteMs);
    const newest = await ask({ operationMode: 'off' }, 2 * minuteMs);
    for (const [idleMs, names] of [
      [3 * minuteMs, ['operationMode']],
      [60 * minuteMs, ['operationMode', 'roomSetpointCelsius']],
    ] as const) {
      stage.idle(idleMs);
      await stage.pass();
      expect((await circuit()).lastDropped).toMatchObject({ version: newest, names });
    }
  });

  test('is confirmed by a report that comes after the end and before the drop', async () => {
    const version = await ask(warm, minuteMs / 4);
    await stage.pass();
    stage.idle(minuteMs / 2);
    report(version);
    await stage.pass();
    expect(await circuit()).toMatchObject({ version, reported: warm });
    expect(await circuit()).not.toHaveProperty('openUntil');
    expect(drops()).toEqual([]);
  });

  test('is not sent after it by the relay, whether the request was relayed late or the gateway reconnects', async () => {
    const { roomSetpointCelsius } = before;
    const version = await ask(warm, 30_000);
    stage.idle(31_000);
    await stage.deliverRecords();
    expect(sent()).toMatchObject([{ version: version + 1, desired: { roomSetpointCelsius } }]);
    expect(drops()).toMatchObject([{ operation: 'relayRequestedChanges', after: { dropped: 'expired' } }]);

    await connect('offline');
    await ask(warm, 30_000);
    await stage.deliverRecords();
    stage.idle(30_000);
    sendEvent(stage, 'gateway.connectivity.v1', home, { connectivity: 'online' });
    stage.failWith({ ofStore: ({ input }) => ('IndexName' in input ? unavailable() : undefined) });
    await stage.pass();
    expect(sent().map(({ desired }) => desired)).toEqual([{ roomSetpointCelsius }, warm, { roomSetpointCelsius }]);
    expect((await circuit()).lastDropped).toMatchObject({ reason: 'expired' });
  });
});

test('an item that cannot be dropped stops no other, is tried again each minute, and fails the run', async () => {
  await ask(warm, minuteMs / 3);
  await ask(warm, minuteMs / 2, neighbour);
  await stage.pass();
  const isAbout = (input: object) => JSON.stringify(input).includes(home.gatewayId) && 'TransactItems' in input;
  stage.failWith({ ofStore: ({ input }) => (isAbout(input) ? new TypeError('broken') : undefined) });
  stage.idle(minuteMs);
  await stage.pass();
  expect(await circuit()).toMatchObject({ desired: warm });
  expect(await circuit(neighbour)).toMatchObject({ lastDropped: { reason: 'expired' } });
  const failed = { level: 'ERROR', dropped: 1, failed: 1, AuditWriteFailures: 1, error: 'TypeError: broken' };
  const { gatewayId } = home;
  expect(z.parse(z.looseObject(expiryEvent.shape), runs().at(-1))).toMatchObject({ ...failed, gatewayId });
  stage.failWith({});
  stage.idle(minuteMs);
  await stage.pass();
  expect(await circuit()).toMatchObject({ lastDropped: { reason: 'expired' } });
  expect(runs().at(-1)).not.toHaveProperty('AuditWriteFailures');
});

test('an item that the index still has, but whose change was confirmed, fails no run', async () => {
  const version = await ask(warm, minuteMs / 4);
  await stage.pass();
  stage.idle(minuteMs / 2);
  const send = async (command: { readonly input: object }) => {
    if ('RequestItems' in command.input) {
      report(version);
      await stage.deliverMessages();
    }
    return stage.store.send(command as never);
  };
  const lines: string[] = [];
  const environment = { processTimeMs: stage.now, setting: () => 'namespace', log: (line: string) => lines.push(line) };
  await dropExpiredChanges({ ...environment, store: { ...stage.store, send } } as never);
  expect(JSON.parse(String(lines))).toMatchObject({ dropped: 0, failed: 0 });
  expect(await circuit()).toMatchObject({ version, reported: warm });
});
