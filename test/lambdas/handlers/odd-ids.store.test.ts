import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { clientConfigOf, createStreamReader, type StreamRecord } from 'serve-stack/dynamodb';
import { beforeAll, expect, inject, test } from 'vitest';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { idPattern, maxIdCharacters } from '../../../lambdas/api/schemas/common.ts';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { handler as recordApplianceEvents } from '../../../lambdas/consumers/recordApplianceEvents.ts';
import { handler as recordContractEvents } from '../../../lambdas/consumers/recordContractEvents.ts';
import { handler as relayRequestedChanges } from '../../../lambdas/consumers/relayRequestedChanges.ts';
import { reportedCircuits, reportedProgram } from '../../support/appliance.ts';
import { call, goodCall, readsOfWholeGateway, registerWebhook, wholeOf } from '../../support/call.ts';
import { campaign, playCases } from '../../support/campaign.ts';
import { newStreamProcess } from '../../support/feed.ts';
import { eventLike, periodReports, take } from '../../support/messages.ts';
import { operateForJson } from '../../support/operator.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld({ hasStreams: true });
});

/** Ids that the marshaller of the AWS SDK loses, and `toString`, which it keeps. */
const always = ['constructor', '__proto__', 'toString'];

/** Other valid ids that an object, a path or a list could misinterpret. */
const others = [
  ...Object.getOwnPropertyNames(Object.prototype).filter((id) => !always.includes(id)),
  ...['prototype', 'null', 'undefined', 'NaN', 'length', 'then', 'toJSON', 'M', 'S', 'name', 'facts', 'owners'],
  ...['.', '..', '-', '_', '__', '0', '-1', '1e3', '007', 'x'.repeat(maxIdCharacters)],
];

test('the ids of the table are valid', () => {
  expect([...always, ...others].filter((id) => !idPattern.test(id))).toEqual([]);
});

const works = 'an owner, a gateway, a circuit and a time program with';

test.each(always)(`${works} the id %s work like any other`, campaign, (id) => liveWith(id));

test(`${works} any other valid id work like these`, campaign, (context) =>
  playCases(context, { test: 2, seconds: 300 }, others, liveWith),
);

/** Plays the life of an owner and a home whose ids are all `id`, in new tables: from the contract to the erasure. */
const liveWith = async (id: string): Promise<void> => {
  await world.takeNewTables();
  readers.clear();
  const { companyId, key } = await onboard(world.store);
  const webhook = await registerWebhook(world.store, companyId);
  const other = `${id}2`.slice(-maxIdCharacters);
  let minute = 0;
  const nowMs = () => startMs + minute * 60_000;
  const send = async (consumer: 'takePortalEvents' | 'takeGatewayReports', ...events: [Type, object?][]) => {
    const subject = consumer === 'takePortalEvents' ? companyId : id;
    for (const [type, data = {}] of events) {
      const event = eventLike(type, {
        subject,
        timeMs: startMs + ++minute * 60_000,
        id: `${companyId}-${minute}`,
        data,
      });
      const { outcomes } = await take(consumer, [event], { arrivedAtMs: nowMs() });
      expect(outcomes, type).toEqual(['applied']);
    }
  };
  const ask = async (operationId: OperationId, userId = id, options: object = {}) => {
    minute++;
    const company = { companyId, key, keys: [key, key], gatewayId: id, webhook, contract: { userId } } as never;
    const good = goodCall(operationId, company);
    const headers = { ...good.headers, ...(userId && { 'x-user-id': [userId] }) };
    const ids = Object.keys(good.pathParameters).map((name) => [name, id]);
    return call(operationId, {
      ...good,
      headers,
      nowMs: nowMs(),
      pathParameters: Object.fromEntries(ids),
      ...options,
    });
  };
  const installation = { userId: id, gatewayId: id };
  const circuit = { family: 'heating', circuitId: id };
  // The examples confirm a change.
  const first = { fulfilsVersion: undefined };

  await send(
    'takePortalEvents',
    ['portal.contract.opened.v1', { userId: id }],
    ['portal.installation.added.v1', installation],
    ['portal.consent.accepted.v1', { userId: id }],
  );
  expect((await ask('getGateway')).body.code).toBe('gateway-not-found');
  await send(
    'takeGatewayReports',
    ['gateway.described.v1', { circuits: [{ ...circuit, timeProgramIds: [id] }] }],
    ['gateway.connectivity.v1', { lastSeenAt: new Date(startMs).toISOString() }],
    [
      'circuit.reported.v1',
      { ...circuit, reported: { ...reportedCircuits.heating, activeTimeProgramId: id }, ...first },
    ],
    ['time-program.reported.v1', { ...circuit, timeProgramId: id, ...reportedProgram, ...first }],
    ['holiday.reported.v1', { holiday: null, ...first }],
    ...periodReports.map((type): [Type] => [type]),
  );

  // Reads return what was reported.
  expect((await ask('listGateways')).body.items.map(({ gatewayId }: Ids) => gatewayId)).toEqual([id]);
  const { items: contracts } = (await ask('listContracts', '', wholeOf('listContracts'))).body;
  expect(contracts).toContainEqual(expect.objectContaining({ userId: id, gatewayIds: [id] }));
  expect((await ask('getContract')).body).toMatchObject({ userId: id, state: 'active' });
  expect((await ask('listHeatingCircuits')).body.items).toMatchObject([{ circuitId: id, activeTimeProgramId: id }]);
  const home = await ask('getGateway', id, { query: { include: ['circuits,timePrograms'] } });
  expect(home.body.heatingCircuits).toMatchObject([{ circuitId: id, timePrograms: [{ timeProgramId: id }] }]);
  for (const operationId of readsOfWholeGateway) expect((await ask(operationId)).status, operationId).toBe(200);

  // Changes are accepted.
  const changes = ['updateHeatingCircuit', 'setHeatingOverride', 'updateHeatingTimeProgram', 'setHoliday'] as const;
  for (const operationId of changes) expect((await ask(operationId)).status, operationId).toBe(202);
  const patch = await ask('updateHeatingCircuit', id, { body: { activeTimeProgramId: id } });
  expect(patch.status).toBe(202);
  await send('takeGatewayReports', [
    'circuit.reported.v1',
    {
      ...circuit,
      reported: { ...reportedCircuits.heating, operationMode: 'off' },
      fulfilsVersion: patch.body.version,
    },
  ]);
  expect((await ask('getHeatingCircuit')).body.state).toBe('confirmed');

  // The backend gets all of it.
  const asked = await followStreams(id);
  expect(asked.relayed).toBeGreaterThanOrEqual(5);
  expect(asked.types).toEqual([]);

  // The gateway moves to an owner with a normal id, and back.
  await operateForJson(['owner', 'export', id], { store: world.store });
  for (const userId of [other, id]) {
    if (userId === other)
      await send(
        'takePortalEvents',
        ['portal.contract.opened.v1', { userId }],
        ['portal.consent.accepted.v1', { userId }],
      );
    await send('takePortalEvents', ['portal.installation.added.v1', { userId, gatewayId: id }]);
    const codes = [];
    for (const owner of [other, id]) codes.push((await ask('getGateway', owner)).body.code ?? 'ok');
    expect(codes).toEqual(userId === other ? ['ok', 'gateway-not-in-contract'] : ['gateway-not-in-contract', 'ok']);
  }

  // The feed gets all of it.
  const { types } = await followStreams(id);
  expect(types).toEqual([]);
  const events: { type: string; gatewayId?: string; userId?: string }[] = (await ask('listEvents')).body.items;
  const eventsOfOwner = events.filter(({ userId }) => userId === id);
  for (const type of ['gateway.added', 'contract.changed', 'consent.changed'])
    expect(
      eventsOfOwner.map((event) => event.type),
      type,
    ).toContain(type);
  expect(eventsOfOwner.filter(({ type }) => type.startsWith('gateway.')).map(({ gatewayId }) => gatewayId)).toContain(
    id,
  );

  // The owner exports the stored data, withdraws, and is erased.
  const { store } = world;
  const { output: kept } = await operateForJson(['owner', 'export', id], { store, nowMs: nowMs() });
  expect(kept.contracts).toMatchObject([{ companyId, state: 'active', gatewayIds: [id] }]);
  expect(kept.grants).toMatchObject([{ companyId, gatewayId: id, isGranted: true }]);
  const shown = await operateForJson(['gateway', 'show', id], { store, nowMs: nowMs() });
  expect(shown.output.companies).toMatchObject([{ companyId, userId: id }]);
  await send('takePortalEvents', ['portal.installation.removed.v1', installation]);
  expect((await ask('getGateway')).body.code).toBe('gateway-not-in-contract');
  await send('takePortalEvents', ['portal.installation.added.v1', installation]);
  const reason = ['--yes', '--reason', 'x'];
  const erased = await operateForJson(['owner', 'erase', id, ...reason], { store, nowMs: nowMs() });
  expect(erased.output).toMatchObject({ outcome: 'changed', contracts: 1 });
  const { output: left } = await operateForJson(['owner', 'export', id], { store, nowMs: nowMs() });
  expect(left).toMatchObject({ contracts: [{ state: 'erased', gatewayIds: [] }], grants: [] });
  expect((await ask('listGateways')).body.code).toBe('user-id-mismatch');
};

type Type = Parameters<typeof eventLike>[0];
type Ids = { readonly gatewayId: string };

const readers = new Map<TableName, ReturnType<typeof createStreamReader>>();

/** Runs the stream consumers on all new records; returns what they set aside, and the changes for this gateway. */
const followStreams = async (gatewayId: string) => {
  const process = newStreamProcess();
  const relayed: string[] = [];
  const environment = {
    ...world.environment,
    ...process,
    putOnBus: async () => {},
    processTimeMs: () => startMs + 3_600_000,
    send: async (queue: string, message: { readonly body: string; readonly groupId?: string }) => {
      if (queue === 'requestedChanges') relayed.push(String(message.groupId));
      else await process.send(queue, message);
    },
  };
  for (const [table, handlers] of [
    ['Contracts', [recordContractEvents]],
    ['Appliances', [recordApplianceEvents, relayRequestedChanges]],
  ] as const) {
    const Records = await newRecords(table);
    for (const handler of handlers)
      expect(await handler.withEnvironment(environment as never)({ Records } as never, undefined)).toEqual({
        batchItemFailures: [],
      });
  }
  return { types: process.setAside, relayed: relayed.filter((each) => each === gatewayId).length };
};

/** Returns new records in the form of Lambda. */
const newRecords = async (table: TableName) => {
  const config = clientConfigOf(inject('dynamoDbEndpoint'));
  const reader =
    readers.get(table) ??
    createStreamReader(
      { tables: new DynamoDBClient(config), streams: new DynamoDBStreamsClient(config) },
      world.store.tableName(table),
    );
  readers.set(table, reader);
  const records: StreamRecord[] = [];
  await reader(async (taken) => {
    records.push(...taken);
    return taken.length;
  });
  const ApproximateCreationDateTime = startMs / 1000;
  return records.map((record) => ({ ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTime } }));
};
