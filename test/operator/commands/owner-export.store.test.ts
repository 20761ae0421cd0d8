import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, expect, test } from 'vitest';
import { circuitItemKey, holidayItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { reportHour } from '../../../lambdas/data/appliances/hourly-energy.ts';
import { reportMeasurements } from '../../../lambdas/data/appliances/measurements.ts';
import { requestAttributes } from '../../../lambdas/data/appliances/open-since-index.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { addDays, newestDayAt } from '../../../lambdas/domain/energy.ts';
import { usableMeasurements } from '../../../lambdas/domain/measurement.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { factTimesAt } from '../../support/appliance.ts';
import { eventLike, periodReports, take } from '../../support/messages.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { ownerScene } from '../../support/owner-scene.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let scene: Awaited<ReturnType<typeof ownerScene>>;
// biome-ignore lint/suspicious/noExplicitAny: its schema was checked before.
let exported: any;
beforeAll(async () => {
  world = await openWorld();
  scene = await ownerScene(world.store);
  ({ output: exported } = await operateForJson(['owner', 'export', scene.owner], { store: world.store }));
});

test('an export has all stored data of an owner, at all companies', () => {
  const { own, got, given, first, second } = scene;
  expect(exported.contracts).toMatchObject(
    [first, second]
      .toSorted()
      .map((companyId) => ({ companyId, state: 'active', consent: { acceptedVersion: 3 }, erasedAt: null })),
  );
  const grantsBy = (isGranted: boolean) =>
    exported.grants
      .filter((each: { isGranted: boolean }) => each.isGranted === isGranted)
      .map(({ companyId, gatewayId }: Record<string, string>) => `${companyId} ${gatewayId}`)
      .toSorted();
  expect(grantsBy(true)).toEqual([`${first} ${own}`, `${second} ${own}`, `${first} ${got}`].toSorted());
  expect(grantsBy(false)).toEqual([`${first} ${given}`]);
  expect(exported.gateways.map(({ gatewayId }: { gatewayId: string }) => gatewayId).toSorted()).toEqual([got, own]);
  for (const { items } of exported.gateways)
    expect(items.map(({ item }: { item: string }) => item).toSorted()).toEqual([
      ...['CIRCUIT#heating#hc1', 'GATEWAY', 'PROGRAM#heating#hc1#1'],
    ]);
  expect(exported.events.map(({ companyId, gatewayId }: Record<string, string>) => [companyId, gatewayId])).toEqual(
    expect.arrayContaining([
      [first, own],
      [first, got],
      [first, given],
      [second, null],
    ]),
  );
});

test('it has the audit rows of the owner, and operators’ changes of their gateways at that time', () => {
  const { owner, own, got, given } = scene;
  const { changes } = exported as { changes: { userId: string | null; gatewayId: string; operation: string }[] };
  expect(new Set(changes.map(({ userId }) => userId))).toEqual(new Set([owner, null]));
  expect(changes.filter(({ userId }) => userId === null)).toMatchObject([
    { operation: 'change resend', gatewayId: own },
  ]);
  const ofGateway = (id: string) => changes.filter(({ gatewayId }) => gatewayId === id).length;
  // All grants and changes of the owner, but nothing of the neighbour.
  expect([ofGateway(own), ofGateway(got), ofGateway(given)]).toEqual([4, 2, 2]);
});

test('it has nothing of another owner: of a moved gateway, only the time in which the owner had it', () => {
  const { neighbour, own, got } = scene;
  expect(JSON.stringify(exported)).not.toContain(neighbour);
  const circuitOf = (id: string) =>
    exported.gateways
      .find(({ gatewayId }: { gatewayId: string }) => gatewayId === id)
      .items.find(({ item }: { item: string }) => item.startsWith('CIRCUIT#')).values;
  // Half an hour ago a change of each was requested; at that time, one gateway was the neighbour's.
  expect(circuitOf(own)).toHaveProperty('desired');
  expect(circuitOf(got)).not.toHaveProperty('desired');
  expect(circuitOf(got)).not.toHaveProperty('desiredBy');
});

test('it has no mark of a request of another owner, such as the levels that it asked for', async () => {
  await world.store.send(
    new UpdateCommand({
      TableName: world.store.tableName('Appliances'),
      Key: circuitItemKey(scene.got, 'heating', 'hc1'),
      UpdateExpression: 'SET desiresLevels = :true, unsaid = :names',
      ExpressionAttributeValues: { ':true': true, ':names': ['levelSetpoints.eco'] },
    }),
  );
  const { output } = await operateForJson(['owner', 'export', scene.owner], { store: world.store });
  const { items } = output.gateways.find(({ gatewayId }: { gatewayId: string }) => gatewayId === scene.got);
  const { values } = items.find(({ item }: { item: string }) => item.startsWith('CIRCUIT#'));
  for (const name of [...requestAttributes, 'desiredAt']) expect(values).not.toHaveProperty(name);
});

test('it has no report of a day that ended, or an hour that began, before a gateway moved to the owner', async () => {
  const today = newestDayAt(startMs);
  const now = toTimestamp(startMs);
  const own = { day: today, start: now };
  for (const date of [{ day: addDays(today, -1), start: toTimestamp(startMs - 15 * 60_000) }, own])
    await take(
      'takeGatewayReports',
      periodReports.map((type) => eventLike(type, { subject: scene.got, id: randomUUID(), data: date })),
    );
  const { output } = await operateForJson(['owner', 'export', scene.owner], { store: world.store });
  const { items } = output.gateways.find(({ gatewayId }: { gatewayId: string }) => gatewayId === scene.got);
  const periods = items.filter(({ item }: { item: string }) => /^REPORTED_.*#/.test(item));
  expect(periods).toHaveLength(periodReports.length);
  for (const { item, values } of periods) expect([today, now], item).toContain(Object.keys(values).join());
});

test('it names the quantities of an hour, of which the store has a list', async () => {
  const start = toTimestamp(startMs);
  await reportHour(world.store, scene.own, { start, heating: { heatKwh: 1.5 } }, factTimesAt(startMs));
  const { output } = await operateForJson(['owner', 'export', scene.owner], { store: world.store });
  const { items } = output.gateways.find(({ gatewayId }: { gatewayId: string }) => gatewayId === scene.own);
  const { values } = items.find(({ item }: { item: string }) => item.startsWith('REPORTED_HOURS#'));
  expect(values).toEqual({
    [start]: {
      heating: { electricityKwh: null, fuelKwh: null, heatKwh: 1.5 },
      dhw: { electricityKwh: null, fuelKwh: null, heatKwh: null },
      cooling: null,
      reportedAt: start,
    },
  });
});

test('it has no measurements from before a gateway moved to the owner', async () => {
  const measure = async (name: string, atMs: number) => {
    const { usable } = usableMeasurements([{ name, value: 1.5 }], atMs);
    await reportMeasurements(world.store, scene.got, usable, factTimesAt(atMs));
  };
  await measure('waterPressure', startMs - 86_400_000);
  await measure('flowTemperature', startMs);
  const { output } = await operateForJson(['owner', 'export', scene.owner], { store: world.store });
  const { items } = output.gateways.find(({ gatewayId }: { gatewayId: string }) => gatewayId === scene.got);
  const { values } = items.find(({ item }: { item: string }) => item === 'REPORTED_MEASUREMENTS');
  expect(values.measurements).toEqual([
    {
      name: 'flowTemperature',
      componentId: null,
      value: 1.5,
      unit: 'celsius',
      state: null,
      at: toTimestamp(startMs),
    },
  ]);
});

test('it has no holiday from before a gateway moved to the owner', async () => {
  const holiday = { from: '2036-03-11T12:00:00Z', to: '2036-03-19T12:00:00Z', roomSetpointCelsius: 15.5 };
  const exportedAfter = async (atMs: number) => {
    await report(world.store, holidayItemKey(scene.got), { reported: { holiday } }, factTimesAt(atMs));
    const { output } = await operateForJson(['owner', 'export', scene.owner], { store: world.store });
    const { items } = output.gateways.find(({ gatewayId }: { gatewayId: string }) => gatewayId === scene.got);
    return items.find(({ item }: { item: string }) => item === 'HOLIDAY').values.reported;
  };
  expect(await exportedAfter(startMs - 20 * 60_000)).toEqual({ holiday: null });
  expect(await exportedAfter(startMs)).toEqual({ holiday });
});

test('it matches the schema that is published for programs of the owner', () => {
  const schema = JSON.parse(readFileSync('docs/owner-export.schema.json', 'utf8'));
  const ajv = new Ajv2020();
  formats.default(ajv as never);
  const validate = ajv.compile(schema);
  expect([validate(exported), validate.errors]).toEqual([true, null]);
  expect(validate({ ...exported, keys: [] })).toBe(false);
});

test('the table shows what there is; for an unknown owner, nothing', async () => {
  const { stdout } = await operate(['owner', 'export', scene.owner], { store: world.store });
  expect(stdout).toContain(`${scene.first}  active`);
  const { output } = await operateForJson(['owner', 'export', 'nobody'], { store: world.store });
  expect(output).toMatchObject({ contracts: [], grants: [], gateways: [], changes: [], events: [] });
});
