import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import {
  attemptBytes,
  type BackgroundMeasurement,
  type BackgroundWork,
  backgroundMeasurements,
  measurementsBytes,
} from '../../docs/generate/capacity.ts';
import type { InboundEventType } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { handler as recordApplianceEvents } from '../../lambdas/consumers/recordApplianceEvents.ts';
import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { measurementsItemKey, reportMeasurements } from '../../lambdas/data/appliances/measurements.ts';
import { applyGrant } from '../../lambdas/data/contracts/grants.ts';
import { notePurge } from '../../lambdas/data/feed/purge-notes.ts';
import { queryPartition } from '../../lambdas/data/store/reads.ts';
import { oweMessages } from '../../lambdas/data/webhooks/deliveries.ts';
import { usableMeasurements } from '../../lambdas/domain/measurement.ts';
import { handler as purgeFeeds } from '../../lambdas/jobs/purgeFeeds.ts';
import { installedAppliance } from '../../lambdas/sandbox/appliances/appliance-state.ts';
import { measured } from '../../lambdas/sandbox/appliances/measured.ts';
import { factTimesAt, installGrantedGateway, readStored, reportedCircuits } from '../support/appliance.ts';
import { applianceRecord, newStreamProcess } from '../support/feed.ts';
import { eventLike, newReportedGateway, take } from '../support/messages.ts';
import { operatorActOn } from '../support/store.ts';
import { consumedUnits, sizeOf } from '../support/units.ts';
import { deliverBatch, startReceiver, webhookOf } from '../support/webhooks.ts';
import { onboard, openWorld, partiesOf, startMs } from '../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** Returns what each of `count` items consumes, after the first items of the kind. */
const measure = async (
  count: number,
  act: (count: number) => Promise<readonly string[]>,
): Promise<BackgroundMeasurement> => {
  await act(count);
  world.proxy.begin();
  return takenFor(count, await act(count));
};

/** Returns what each of `count` items has consumed since the proxy's `begin`, with these log lines. */
const takenFor = (count: number, lines: readonly string[]): BackgroundMeasurement => {
  const consumed = consumedUnits(world.proxy.exchanges);
  const each = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0) / count;
  return {
    readUnits: Number(each(consumed.map(({ readUnits }) => readUnits)).toFixed(1)),
    writeUnits: Number(each(consumed.map(({ writeUnits }) => writeUnits)).toFixed(1)),
    lineBytes: Math.round(each(lines.map((line) => Buffer.byteLength(line)))),
  };
};

let reports = 0;

/** Applies a report of each gateway that changes its state. No request waits for these reports. */
const report = async (gatewayIds: readonly string[]) => {
  const timeMs = startMs + ++reports;
  const messages = gatewayIds.map((subject, index) =>
    eventLike('circuit.reported.v1', {
      subject,
      timeMs,
      id: `0b6d6a1e-8f0f-4a51-9d5e-${String(reports * 100 + index).padStart(12, '0')}`,
      data: {
        fulfilsVersion: undefined,
        reported: { ...reportedCircuits.heating, roomTemperatureCelsius: 10 + reports },
      },
    }),
  );
  const { lines, outcomes } = await take('takeGatewayReports', messages, { arrivedAtMs: timeMs });
  expect(new Set(outcomes)).toEqual(new Set(['applied']));
  return lines;
};

let records = 0;

/** Records changes of a circuit for one company without a webhook. */
const appendChanges = async (gatewayId: string, count: number) => {
  const lines: string[] = [];
  const item = (version: number) => ({
    ...circuitItemKey(gatewayId, 'heating', 'hc1'),
    circuitId: 'hc1',
    version: 1,
    reportedAtMs: startMs + version,
    receivedAtMs: startMs + version,
    reported: { ...reportedCircuits.heating, roomSetpointCelsius: version },
  });
  const Records = Array.from({ length: count }, () => applianceRecord(++records, item(records), item(records + 1)));
  await recordApplianceEvents.withEnvironment({
    ...world.environment,
    ...newStreamProcess(),
    processTimeMs: () => startMs + records,
    log: (line) => void lines.push(line),
  })({ Records }, undefined);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ outcome: 'recorded', appended: count }]);
  return lines;
};

const acts: Readonly<Record<BackgroundWork, () => Promise<BackgroundMeasurement>>> = {
  'a report of a circuit': async () => measureReports(1),
  'a report of a circuit, of ten at once': async () => measureReports(10),
  'the energy of a day, of ten at once': async () => measureEnergy('energy.reported.v1', daysOfMonth, allUses),
  'the energy of a day with cooling, of ten at once': async () =>
    measureEnergy('energy.reported.v1', daysOfMonth, { ...allUses, cooling }),
  'the energy of an hour, of ten at once': async () =>
    measureEnergy('hourly-energy.reported.v1', hoursOfDay, usesOfHeatPump),
  'the energy of an hour with all values, of ten at once': async () =>
    measureEnergy('hourly-energy.reported.v1', hoursOfDay, { ...allUses, cooling }),
  'a report of measurements, of ten at once': async () => measureMeasurements(),
  'an event of a feed': async () => measureEvents(1),
  'an event of a feed, of ten at once': async () => measureEvents(10),
  'a feed of 1,000 events, purged of ten': async () => measurePurge(),
  'a webhook message': async () => measureDeliveries(1),
  'a webhook message, of ten at once': async () => measureDeliveries(10),
};

const measureReports = async (count: number) => {
  const gatewayIds = await Promise.all(Array.from({ length: count }, () => newReportedGateway(world.store)));
  return measure(count, () => report(gatewayIds));
};

const use = { electricityKwh: 12.345, fuelKwh: 45.678, heatKwh: 90.123 };
const allUses = { heating: use, dhw: use, cooling: undefined };
const cooling = { electricityKwh: 12.345, fuelKwh: 45.678, removedHeatKwh: 90.123 };

/** What a heat pump measures in an hour. */
const usesOfHeatPump = {
  heating: { electricityKwh: 0.412, heatKwh: 1.553 },
  dhw: { electricityKwh: 0.31, heatKwh: 0.856 },
};

const twoDigits = (number: number) => String(number).padStart(2, '0');
const daysOfMonth = Array.from({ length: 31 }, (_, index) => ({ day: `2036-01-${twoDigits(index + 1)}` }));
const hoursOfDay = Array.from({ length: 24 }, (_, hour) => ({ start: `2036-03-09T${twoDigits(hour)}:00:00Z` }));

/** Measures all parts of an item, each reported by ten gateways. */
const measureEnergy = async (
  type: InboundEventType,
  parts: readonly object[],
  uses: object,
): Promise<BackgroundMeasurement> => {
  const gatewayIds = await Promise.all(Array.from({ length: 10 }, () => newReportedGateway(world.store)));
  const lines: string[] = [];
  world.proxy.begin();
  for (const [index, part] of parts.entries()) {
    const messages = gatewayIds.map((subject, place) =>
      eventLike(type, {
        subject,
        id: `0b6d6a1e-8f0f-4a51-9d5e-${String(index * 100 + place).padStart(12, '0')}`,
        data: { ...part, ...uses },
      }),
    );
    const taken = await take('takeGatewayReports', messages);
    expect(new Set(taken.outcomes)).toEqual(new Set(['applied']));
    lines.push(...taken.lines);
  }
  return takenFor(gatewayIds.length * parts.length, lines);
};

let minutes = 0;

/** Measures reports of all measurements of ten homes, as the demo world has them. */
const measureMeasurements = async (): Promise<BackgroundMeasurement> => {
  const gatewayIds = await Promise.all(Array.from({ length: 10 }, () => newReportedGateway(world.store)));
  return measure(gatewayIds.length, async () => {
    const timeMs = startMs + ++minutes * 900_000;
    const messages = gatewayIds.map((subject, place) =>
      eventLike('measurements.reported.v1', {
        subject,
        timeMs,
        id: `0b6d6a1e-8f0f-4a51-9d5e-${String(minutes * 100 + place).padStart(12, '0')}`,
        data: { measurements: measuredInDemo(timeMs) },
      }),
    );
    const { lines, outcomes } = await take('takeGatewayReports', messages, { arrivedAtMs: timeMs });
    expect(new Set(outcomes)).toEqual(new Set(['applied']));
    return lines;
  });
};

const measuredInDemo = (timeMs: number) => {
  const appliance = { gatewayId: 'gw-1001', name: 'Home' };
  return measured(installedAppliance(appliance, timeMs), timeMs);
};

const onboardConsented = async () => {
  const consentedMs = startMs - 3_600_000;
  return onboard(world.store, { consentedSinceMs: consentedMs, acceptedAtMs: consentedMs });
};

const measureEvents = async (count: number) => {
  const { companyId } = await onboardConsented();
  const { gatewayId } = await installGrantedGateway(world.store, companyId);
  return measure(count, () => appendChanges(gatewayId, count));
};

/** Measures a run of the job for one feed whose events were appended ten at once. */
const measurePurge = async () => {
  const { companyId } = await onboardConsented();
  const parties = partiesOf(companyId);
  const [kept, revoked] = [
    await installGrantedGateway(world.store, companyId),
    await installGrantedGateway(world.store, companyId),
  ];
  for (let tens = 0; tens < 100; tens++) await appendChanges((tens === 50 ? revoked : kept).gatewayId, 10);
  const change = { gatewayId: revoked.gatewayId, isGranted: false, userId: parties.userId };
  await applyGrant(world.store, operatorActOn(companyId, startMs + 60_000), change);
  await notePurge(world.store, parties, startMs);
  const lines: string[] = [];
  world.proxy.begin();
  await purgeFeeds.withEnvironment({
    ...world.environment,
    processTimeMs: () => startMs + 3_600_000,
    log: (line) => void lines.push(line),
  })(undefined, undefined);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ companies: 1, removed: 10, unfinished: 0 }]);
  return takenFor(1, lines);
};

let rounds = 0;

/** Measures messages that are delivered, each for another company. */
const measureDeliveries = async (count: number) => {
  const { network } = await startReceiver();
  const webhooks = await Promise.all(Array.from({ length: count }, () => webhookOf({ asked: 0 })));
  return measure(count, async () => {
    const nowMs = startMs + ++rounds * 60_000;
    for (const { companyId } of webhooks) await oweMessages(world.store, companyId, nowMs);
    const { lines } = await deliverBatch(webhooks, { network, nowMs });
    expect(new Set(lines.map((line) => JSON.parse(line).outcome))).toEqual(new Set(['delivered']));
    return lines;
  });
};

test('an attempt to send a webhook message has the size in the documented growth of its table', async () => {
  const { network } = await startReceiver();
  const webhook = await webhookOf({ state: 'unverified' });
  await deliverBatch([webhook], { network });
  const partition = { partition: webhook.companyId, prefix: webhook.webhookId };
  const { items } = await queryPartition(world.store, 'WebhookAttempts', partition);
  const bytes = sizeOf(marshall(items[0] ?? {}));
  const remedy = `Measured: ${bytes}. Write that as attemptBytes into docs/generate/capacity.ts, then npm run generate.`;
  expect(Math.abs(bytes - attemptBytes), remedy).toBeLessThanOrEqual(0.1 * attemptBytes);
});

test('the measurements of a home have the size in the documented growth of their table', async () => {
  const gatewayId = await newReportedGateway(world.store);
  const { usable } = usableMeasurements(measuredInDemo(startMs), startMs);
  await reportMeasurements(world.store, gatewayId, usable, factTimesAt(startMs));
  const bytes = sizeOf(marshall((await readStored(world.store, measurementsItemKey(gatewayId))) ?? {}));
  const remedy = `Measured: ${bytes}. Write that as measurementsBytes into docs/generate/capacity.ts, then npm run generate.`;
  expect(Math.abs(bytes - measurementsBytes), remedy).toBeLessThanOrEqual(0.1 * measurementsBytes);
});

test.each(Object.keys(acts) as BackgroundWork[])('%s consumes the units in its price', async (name) => {
  const measured = await acts[name]();
  const declared: BackgroundMeasurement = backgroundMeasurements[name];
  const remedy = `Measured: ${JSON.stringify(measured)}. Write that as backgroundMeasurements['${name}'] into docs/generate/capacity.ts, then npm run generate; or let it take less.`;
  expect(measured.writeUnits, remedy).toBe(declared.writeUnits);
  // The length of ids differs between runs, which makes a difference of one unit in a feed of 500 kB.
  expect(Math.abs(measured.readUnits - declared.readUnits), remedy).toBeLessThanOrEqual(0.01 * declared.readUnits);
  expect(Math.abs(measured.lineBytes - declared.lineBytes), remedy).toBeLessThanOrEqual(0.1 * declared.lineBytes);
});
