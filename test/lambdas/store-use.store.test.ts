import type { DynamoDBRecord } from 'aws-lambda';
import { beforeAll, expect, test } from 'vitest';
import type { ConsumerName } from '../../lambdas/api/background-functions.ts';
import { type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import {
  type InboundEventType,
  inboundEvents,
  inboundEventTypes,
} from '../../lambdas/api/inbound-events/inbound-events.ts';
import { handler as recordApplianceEvents } from '../../lambdas/consumers/recordApplianceEvents.ts';
import { handler as recordContractEvents } from '../../lambdas/consumers/recordContractEvents.ts';
import { handler as recordKeyNotices } from '../../lambdas/consumers/recordKeyNotices.ts';
import { handler as recordWebhookEvents } from '../../lambdas/consumers/recordWebhookEvents.ts';
import { handler as relayRequestedChanges } from '../../lambdas/consumers/relayRequestedChanges.ts';
import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { toContractItem } from '../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import { toWebhookItem } from '../../lambdas/data/webhooks/webhooks.ts';
import { fulfilChanges, reportedCircuits } from '../support/appliance.ts';
import { call, equipCompany, goodCall, registerWebhook, wholeOf } from '../support/call.ts';
import { applianceRecord, companyRecord, contractRecord, newStreamProcess } from '../support/feed.ts';
import { newReportedGateway, prepareFor, readGatewayRows, take } from '../support/messages.ts';
import { consumedUnits } from '../support/units.ts';
import { deliverBatch, putWebhook, startReceiver, webhookOf } from '../support/webhooks.ts';
import { onboard, openWorld, partiesOf, startMs } from '../support/world.ts';

/** What one request, message or record uses of the store. A unit has a price, and a call takes time. */
type Use = readonly [calls: number, readUnits: number, writeUnits: number];

/**
 * The use of the usual request of each operation, the chain of every request included, in a process that has admitted such a
 * request before; and that of each message and record. `expectUse` prints the row to write.
 */
const uses: Readonly<Partial<Record<OperationId | InboundEventType | ConsumerName, Use>>> = {
  // Operations.
  createApiKey: [4, 3, 13],
  listApiKeys: [3, 3, 1],
  getOwnApiKey: [3, 3, 1],
  deleteApiKey: [4, 3, 15],
  getContract: [5, 3.5, 1],
  listContracts: [6, 4, 1],
  listEvents: [4, 2.5, 1],
  createWebhook: [6, 4.5, 11],
  listWebhooks: [3, 3, 1],
  getWebhook: [3, 3, 1],
  listWebhookAttempts: [4, 3, 1],
  deleteWebhook: [3, 2, 11],
  verifyWebhook: [5, 3.5, 9],
  rotateWebhookSecret: [4, 3, 5],
  testWebhook: [4, 3.5, 1],
  listGateways: [3, 3.5, 1],
  getGateway: [4, 6, 1],
  getEnergy: [4, 4, 1],
  getHourlyEnergy: [4, 4, 1],
  getMeasurements: [3, 4.5, 1],
  getHoliday: [2, 4, 1],
  setHoliday: [3, 5, 15],
  deleteHoliday: [3, 5, 15],
  listHeatingCircuits: [3, 5, 1],
  getHeatingCircuit: [2, 5, 1],
  updateHeatingCircuit: [3, 5, 15],
  setHeatingOverride: [3, 5, 15],
  deleteHeatingOverride: [3, 5, 15],
  listHeatingTimePrograms: [3, 4, 1],
  getHeatingTimeProgram: [2, 4, 1],
  updateHeatingTimeProgram: [4, 5.5, 15],
  listDhwCircuits: [3, 5, 1],
  getDhwCircuit: [2, 5, 1],
  updateDhwCircuit: [3, 5, 15],
  setDhwOverride: [3, 5, 15],
  deleteDhwOverride: [3, 5, 15],
  listDhwTimePrograms: [3, 4, 1],
  getDhwTimeProgram: [2, 4, 1],
  updateDhwTimeProgram: [4, 5.5, 15],
  getUsage: [5, 3.5, 1],
  listAuditEntries: [4, 4, 1],
  // Messages of the portal and of the gateway backend, alone in their batch.
  'portal.contract.opened.v1': [3, 2, 12],
  'portal.contract.ended.v1': [3, 2, 10],
  'portal.consent.accepted.v1': [2, 1, 6],
  'portal.consent.withdrawn.v1': [3, 2, 6],
  'portal.installation.added.v1': [3, 2, 10],
  'portal.installation.removed.v1': [6, 5, 30],
  'gateway.described.v1': [5, 3, 4],
  'gateway.removed.v1': [11, 4, 14],
  'gateway.connectivity.v1': [1, 0, 1],
  'circuit.reported.v1': [1, 0, 2],
  'time-program.reported.v1': [1, 0, 2],
  'energy.reported.v1': [3, 1, 4],
  'hourly-energy.reported.v1': [3, 1, 4],
  'measurements.reported.v1': [3, 1.5, 4],
  'holiday.reported.v1': [3, 1, 4],
  'function.blocked.v1': [1, 0, 1],
  'function.unblocked.v1': [1, 0, 1],
  'fault.reported.v1': [1, 0, 1],
  'fault.cleared.v1': [1, 0, 1],
  'change.refused.v1': [1, 0, 1],
  // The other consumers, for one record or message.
  relayRequestedChanges: [1, 2, 0],
  recordApplianceEvents: [6, 4, 8],
  recordContractEvents: [5, 2, 9],
  recordKeyNotices: [4, 2, 8],
  recordWebhookEvents: [4, 2, 8],
  sendWebhookMessage: [5, 1.5, 4],
};

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
  // The company that requests the changes of `newReportedGateway`.
  await onboard(world.store, { companyId: 'acme' });
});

/** Expects that the calls since the proxy's `begin` used what the row says. */
const expectUse = (name: keyof typeof uses) => {
  const { exchanges } = world.proxy;
  const consumed = consumedUnits(exchanges);
  const sum = (unit: 'readUnits' | 'writeUnits') => consumed.reduce((total, each) => total + each[unit], 0);
  const [calls, readUnits, writeUnits]: Use = [exchanges.length, sum('readUnits'), sum('writeUnits')];
  const remedy = `${name} makes ${calls} calls of the store, and takes ${readUnits} read units and ${writeUnits} write units. A million read units cost $0.15, a million write units $0.76 (docs/cost.md). If this is worth it, write [${calls}, ${readUnits}, ${writeUnits}] as the row of ${name} into test/lambdas/store-use.store.test.ts; otherwise let it take less.`;
  expect([calls, readUnits, writeUnits], remedy).toEqual(uses[name]);
};

/** Another URL, since a URL can have only one webhook. */
const secondUrl = 'https://hooks.acme.example/second';

test.each(operationIds)('%s uses what its row says', async (operationId) => {
  const company = await equipCompany(world.store, { keys: 3, sinceMs: 0, consentGivenSinceMs: 0 });
  const whole = wholeOf(operationId);
  const first = { ...goodCall(operationId, company), ...whole };
  await call(operationId, first);
  // A change without a pending one uses more: its item is added to the index of open changes.
  await fulfilChanges(world.store, company.gatewayId, startMs + 10_000);
  const { keyId, webhookId } = first.pathParameters;
  const webhook = webhookId ? await registerWebhook(world.store, company.companyId, secondUrl) : company.webhook;
  const second = { ...goodCall(operationId, { ...company, webhook }), ...whole };
  world.proxy.begin();
  const { status } = await call(operationId, {
    ...second,
    ...(operationId === 'createWebhook' && { body: { url: secondUrl } }),
    pathParameters: { ...second.pathParameters, ...(keyId && { keyId: company.keys[2]?.keyId ?? '' }) },
    nowMs: startMs + 20_000,
  });
  expect(status).toBeLessThan(300);
  expectUse(operationId);
});

test.each(inboundEventTypes)('a message %s uses what its row says', async (type) => {
  const event = await prepareFor(world.store, type);
  world.proxy.begin();
  const consumer = inboundEvents[type].queue === 'portalEvents' ? 'takePortalEvents' : 'takeGatewayReports';
  expect((await take(consumer, [event])).outcomes).toEqual(['applied']);
  expectUse(type);
});

let records = 0;

const record = async ({ withEnvironment }: typeof recordKeyNotices, one: DynamoDBRecord) => {
  const environment = {
    ...world.environment,
    ...newStreamProcess(),
    processTimeMs: () => startMs,
    putOnBus: async () => {},
  };
  world.proxy.begin();
  const { batchItemFailures } = await withEnvironment(environment)({ Records: [one] }, undefined);
  expect(batchItemFailures).toEqual([]);
};

/** A company with an enabled webhook, for which no message is due. */
const companyWithWebhook = async () => {
  const { companyId, contract } = await onboard(world.store);
  const webhook = await putWebhook(companyId, { due: undefined, dueAt: undefined } as never);
  return { companyId, contract, webhook };
};

/** A circuit with an open change, of a gateway that a company may read. */
const grantedCircuit = async (companyId: string) => {
  const gatewayId = await newReportedGateway(world.store);
  await grantGateway(world.store, partiesOf(companyId), gatewayId, startMs);
  const { sk } = circuitItemKey(gatewayId, 'heating', 'hc1');
  return (await readGatewayRows(gatewayId)).find((row) => row.sk === sk) ?? {};
};

/** The two consumers of messages have a row for each type of message instead. */
type RecordConsumer = Exclude<ConsumerName, 'takePortalEvents' | 'takeGatewayReports'>;

/** Lets a consumer process one record or message. */
const acts: Readonly<Record<RecordConsumer, () => Promise<void>>> = {
  relayRequestedChanges: async () => {
    const circuit = await grantedCircuit('acme');
    await record(relayRequestedChanges, applianceRecord(++records, { ...circuit, version: 1 }, circuit));
  },
  recordApplianceEvents: async () => {
    const circuit = await grantedCircuit((await companyWithWebhook()).companyId);
    const reported = { ...reportedCircuits.heating, roomSetpointCelsius: 23 };
    const times = { reportedAtMs: startMs + 1, receivedAtMs: startMs + 1 };
    await record(recordApplianceEvents, applianceRecord(++records, circuit, { ...circuit, ...times, reported }));
  },
  recordContractEvents: async () => {
    const { contract } = await companyWithWebhook();
    const ended = toContractItem({ ...contract, state: 'ended', stateChangedAtMs: startMs });
    await record(recordContractEvents, contractRecord(++records, toContractItem(contract), ended));
  },
  recordKeyNotices: async () => {
    const { companyId } = await companyWithWebhook();
    const notice = {
      keyId: 'K',
      remaining: 'P7D',
      isLastKey: false,
      access: 'full',
      label: null,
      expiresAt: '2036-03-17T12:00:00Z',
    };
    await record(recordKeyNotices, companyRecord(++records, undefined, { companyId, sk: 'K#P7D', ...notice }));
  },
  recordWebhookEvents: async () => {
    const { webhook } = await companyWithWebhook();
    const disabled = toWebhookItem({ ...webhook, state: 'disabled', disabledAtMs: startMs } as never);
    await record(recordWebhookEvents, companyRecord(++records, toWebhookItem(webhook), disabled));
  },
  sendWebhookMessage: async () => {
    const { network } = await startReceiver();
    const webhook = await webhookOf();
    world.proxy.begin();
    const { lines } = await deliverBatch([webhook], { network });
    expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(['delivered']);
  },
};

test.each(Object.keys(acts) as RecordConsumer[])('%s uses what its row says', async (name) => {
  await acts[name]();
  expectUse(name);
});
