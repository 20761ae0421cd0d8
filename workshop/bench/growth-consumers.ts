import type { DynamoDBRecord } from 'aws-lambda';
import type { InboundEventType } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { handler as recordApplianceEvents } from '../../lambdas/consumers/recordApplianceEvents.ts';
import { handler as recordContractEvents } from '../../lambdas/consumers/recordContractEvents.ts';
import { handler as takeGatewayReports } from '../../lambdas/consumers/takeGatewayReports.ts';
import { handler as takePortalEvents } from '../../lambdas/consumers/takePortalEvents.ts';
import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { toContractItem } from '../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import { byIds } from '../../lambdas/domain/by-id.ts';
import { toDate } from '../../lambdas/domain/time.ts';
import { reportedCircuits } from '../../test/support/appliance.ts';
import { applianceRecord, consentedContract, contractRecord, newStreamProcess, upTo } from '../../test/support/feed.ts';
import { newQueues } from '../../test/support/messages.ts';
import { benchEnvironment, messageOf, prepareContract } from './bench-company.ts';
import {
  beginMs,
  bytesOf,
  dayMs,
  gatewayOf,
  grantGateways,
  installHome,
  measure,
  measurementsUpTo,
  reportDays,
  reportHours,
  type Scene,
  type Subject,
  type Work,
} from './growth-operations.ts';

/** Consumers by what their messages have, or what these concern. */
export const consumers: readonly Subject[] = [
  {
    what: 'a gateway is described, by circuits with two time programs',
    sizes: [1, 10, 40],
    prepare: async (scene, heating) => {
      await installHome(scene, { heating, timePrograms: 2 });
      const circuits = upTo(heating).map((number) => ({
        family: 'heating',
        circuitId: `c${number}`,
        timeProgramIds: ['1', '2'],
      }));
      return take(scene, takeGatewayReports, 'gateway.described.v1', gatewayOf(scene), { circuits });
    },
  },
  {
    what: 'the energy of a day, by days of its month',
    sizes: [1, 10, 28],
    prepare: async (scene, size) => {
      // The last day of a month of 28 days.
      const day = '2026-02-28';
      await installHome(scene);
      await reportDays(scene, day, size);
      return take(scene, takeGatewayReports, 'energy.reported.v1', gatewayOf(scene), { day, heating: { heatKwh: 1 } });
    },
  },
  {
    what: 'the energy of an hour, by hours of its day',
    sizes: [1, 12, 24],
    prepare: async (scene, size) => {
      const start = `${toDate(beginMs - dayMs)}T23:00:00Z`;
      await installHome(scene);
      await reportHours(scene, start, size);
      const data = { start, heating: { heatKwh: 1 } };
      return take(scene, takeGatewayReports, 'hourly-energy.reported.v1', gatewayOf(scene), data);
    },
  },
  {
    what: 'a report of all measurements of a gateway, by their number',
    sizes: [1, 10, 50],
    prepare: async (scene, size) => {
      await installHome(scene);
      await measure(scene, size);
      const measurements = measurementsUpTo(size);
      return take(scene, takeGatewayReports, 'measurements.reported.v1', gatewayOf(scene), { measurements });
    },
  },
  {
    what: 'a gateway is granted, by gateways of the owner',
    prepare: async (scene, size) => {
      await grantGateways(scene, size);
      const { userId, companyId } = scene.company;
      const data = { userId, gatewayId: gatewayOf(scene) };
      return take(scene, takePortalEvents, 'portal.installation.added.v1', companyId, data);
    },
  },
  {
    what: 'a contract ends in the feed, by its gateways',
    prepare: async (scene, size) => {
      const grant = { grantedAtMs: 1000, receivedAtMs: 1000 };
      const gateways = byIds(upTo(size).map((number) => [gatewayOf(scene, number), grant]));
      const before = toContractItem({ ...consentedContract, ...scene.company, gateways });
      return record(scene, recordContractEvents, (number) => [
        contractRecord(number, before, { ...before, state: 'ended', stateChangedAtMs: number }),
      ]);
    },
  },
  {
    what: 'a report of a circuit in feeds, by companies that see it',
    prepare: async (scene, size) => {
      await installHome(scene);
      for (const number of upTo(size - 1)) {
        const company = await prepareContract(scene.store, `${scene.company.companyId}x${number}`);
        await grantGateway(scene.store, company, gatewayOf(scene), beginMs);
      }
      const work = record(scene, recordApplianceEvents, (number) => [circuitRecord(scene, number, 'c1')]);
      return async (nowMs) => size * (await work(nowMs));
    },
  },
  {
    what: 'reports of circuits in a feed, by records of a batch',
    prepare: async (scene, size) => {
      await installHome(scene, { heating: 40 });
      return record(scene, recordApplianceEvents, (number) =>
        upTo(size).map((index) => circuitRecord(scene, 1000 * number + index, `c${1 + (index % 40)}`)),
      );
    },
  },
];

const take = (
  { store }: Scene,
  { withEnvironment }: typeof takeGatewayReports | typeof takePortalEvents,
  type: InboundEventType,
  subject: string,
  data: object,
): Work => {
  const queues = newQueues();
  const environment = { ...benchEnvironment(store), ...queues, processTimeMs: Date.now };
  return async (nowMs) => {
    const message = messageOf(type, subject, nowMs, data);
    const { batchItemFailures } = await withEnvironment(environment)({ Records: [message] }, undefined);
    const refused = [...batchItemFailures, ...queues.sent];
    if (refused.length > 0) throw new Error(`A message failed: ${JSON.stringify(refused)}`);
    return Buffer.byteLength(message.body);
  };
};

const circuitRecord = (scene: Scene, number: number, circuitId: string) => {
  const key = circuitItemKey(gatewayOf(scene), 'heating', circuitId);
  const item = (roomSetpointCelsius: number) => ({
    ...key,
    circuitId,
    reported: { ...reportedCircuits.heating, roomSetpointCelsius },
    reportedAtMs: beginMs + number,
    receivedAtMs: beginMs + number,
    version: 1,
  });
  return applianceRecord(number, item(20), item(21));
};

const record = (
  { store }: Scene,
  { withEnvironment }: typeof recordContractEvents,
  recordsOf: (number: number) => readonly DynamoDBRecord[],
): Work => {
  const environment = {
    ...benchEnvironment(store),
    ...newStreamProcess(),
    queueDelivery: async () => {},
    processTimeMs: () => beginMs,
  };
  let number = 0;
  return async () => {
    const Records = [...recordsOf(++number)];
    const { batchItemFailures } = await withEnvironment(environment)({ Records }, undefined);
    if (batchItemFailures.length > 0) throw new Error('A record failed.');
    return bytesOf(Records);
  };
};
