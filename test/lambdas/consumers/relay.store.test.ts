import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { relayedChange } from '../../../lambdas/api/log-events/background-events.ts';
import { requestedChange } from '../../../lambdas/api/requested-change.ts';
import { handler } from '../../../lambdas/consumers/relayRequestedChanges.ts';
import { circuitItemKey, gatewayItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { listOpenChanges } from '../../../lambdas/data/appliances/open-since-index.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import type { FifoMessage } from '../../../lambdas/runtime/senders.ts';
import { factTimesAt, openCircuitScene } from '../../support/appliance.ts';
import { applianceRecord, newStreamProcess, unavailable } from '../../support/feed.ts';
import { newReportedGateway, readGatewayRows } from '../../support/messages.ts';
import { consistencyOf, usedActions } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, putAtOnce, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
  await onboard(world.store, { companyId: 'acme' });
});

/** Calls the relay with records and a queue that refuses some messages. */
const relay = async (
  Records: DynamoDBRecord[],
  refuses: (message: FifoMessage) => Error | undefined = () => undefined,
  process = newStreamProcess(),
) => {
  const messages: FifoMessage[] = [];
  const lines: string[] = [];
  const { batchItemFailures } = await handler.withEnvironment({
    ...world.environment,
    processTimeMs: () => startMs,
    log: (line) => void lines.push(line),
    ...process,
    send: async (queue, message) => {
      if (queue !== 'requestedChanges') return process.send(queue, message);
      const refusal = refuses(message as FifoMessage);
      if (refusal) throw refusal;
      messages.push(message as FifoMessage);
    },
  })({ Records }, undefined);
  return {
    messages,
    events: messages.map(({ body }) => z.parse(requestedChange(), JSON.parse(body))),
    logged: lines.map((line) => z.parse(relayedChange, JSON.parse(line))),
    failed: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
    setAside: process.setAside,
  };
};

/**
 * Creates a gateway with an open change of a circuit and one of its time program, both of version 2; returns the stored
 * items.
 */
const gatewayWithChanges = async () => {
  const gatewayId = await newReportedGateway(world.store);
  await grantGateway(world.store, partiesOf('acme'), gatewayId, startMs);
  const rows = await readGatewayRows(gatewayId);
  const stored = (key: { sk: string }) => rows.find(({ sk }) => sk === key.sk) ?? {};
  return {
    gatewayId,
    gateway: stored(gatewayItemKey(gatewayId)),
    circuit: stored(circuitItemKey(gatewayId, 'heating', 'hc1')),
    program: stored(timeProgramItemKey(gatewayId, 'heating', 'hc1', '1')),
  };
};

/** The error of SQS for a text that it never accepts. */
const refusedContents = Object.assign(new Error('A character is not allowed.'), {
  name: 'InvalidMessageContents',
  $metadata: { httpStatusCode: 400 },
});

/** Returns an item as it was before its change was requested. */
const unrequested = (item: object) => ({ ...item, version: 1 });

describe('a change that a partner requested', () => {
  test('is sent as documented, in the message group of its gateway', async () => {
    const { gatewayId, circuit, program } = await gatewayWithChanges();
    const records = [circuit, program].map((item, index) => applianceRecord(index, unrequested(item), item));
    const { messages, events, logged, failed } = await relay(records);
    expect(failed).toEqual([]);
    expect(messages.map(({ groupId }) => groupId)).toEqual([gatewayId, gatewayId]);
    expect(events).toMatchObject([
      {
        subject: gatewayId,
        time: new Date(startMs - 30 * 60_000).toISOString(),
        data: {
          item: { kind: 'circuit', family: 'heating', circuitId: 'hc1' },
          version: 2,
          desired: { roomSetpointCelsius: 21 },
          companyId: 'acme',
          requestId: 'r',
        },
      },
      {
        subject: gatewayId,
        data: {
          item: { kind: 'time-program', family: 'heating', circuitId: 'hc1', timeProgramId: '1' },
          version: 2,
          desired: { name: 'Short evenings' },
        },
      },
    ]);
    const line = { level: 'INFO', gatewayId, messages: 1, version: 2, companyId: 'acme', outcome: 'sent' };
    expect(logged).toMatchObject([line, line]);
  });

  test('has the same ids each time it is sent, and no other version or item has them', async () => {
    const { circuit, program } = await gatewayWithChanges();
    const record = applianceRecord(0, unrequested(circuit), circuit);
    const newer = { ...circuit, version: 3 };
    const first = await relay([record]);
    const others = await relay([
      record,
      applianceRecord(1, circuit, newer),
      applianceRecord(2, unrequested(program), program),
    ]);
    const [messages, events] = [
      [...first.messages, ...others.messages],
      [...first.events, ...others.events],
    ];
    const ids = events.map(({ id }, index) => `${id} ${messages[index]?.deduplicationId}`);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
  });

  test('is not sent for a gateway’s report on the item or for the item’s deletion', async () => {
    const { circuit } = await gatewayWithChanges();
    const { messages, logged } = await relay([
      applianceRecord(0, circuit, { ...circuit, reportedAtMs: startMs }),
      applianceRecord(1, circuit, { ...circuit, desired: undefined, desiredBy: undefined }),
      applianceRecord(2, circuit, undefined),
    ]);
    expect([messages, logged]).toEqual([[], []]);
  });
});

describe('a gateway that is online again', () => {
  const connected = (gateway: Readonly<Record<string, unknown>>, connectivity: string, atMs: number) => ({
    ...gateway,
    facts: { ...(gateway.facts as object), connectivity: { ...factTimesAt(atMs), connectivity } },
  });

  test('gets all of its open changes again, with new deduplication ids', async () => {
    const { gatewayId, gateway, circuit } = await gatewayWithChanges();
    const sent = await relay([applianceRecord(0, unrequested(circuit), circuit)]);
    const online = connected(gateway, 'online', startMs);
    const again = await relay([applianceRecord(1, gateway, online)]);
    expect(again.events.map(({ data: { item, version } }) => [item.kind, version]).toSorted()).toEqual([
      ['circuit', 2],
      ['time-program', 2],
    ]);
    expect(again.events.map(({ id }) => id)).toContain(sent.events[0]?.id);
    const ids = [...sent.messages, ...again.messages].map(({ deduplicationId }) => deduplicationId);
    expect(new Set(ids).size).toBe(3);
    expect(again.logged).toMatchObject([{ gatewayId, messages: 2, version: 2, outcome: 'reconnected' }]);
  });

  test('gets nothing if it was only seen or is offline', async () => {
    const { gateway } = await gatewayWithChanges();
    const online = connected(gateway, 'online', startMs);
    const { messages } = await relay([
      applianceRecord(0, online, { ...online, facts: { ...online.facts, lastSeen: factTimesAt(startMs + 1) } }),
      applianceRecord(1, online, connected(online, 'offline', startMs + 1)),
    ]);
    expect(messages).toEqual([]);
  });

  test('needs no more rights than the row of the relay grants', async () => {
    const { gateway } = await gatewayWithChanges();
    world.proxy.begin();
    await relay([applianceRecord(0, gateway, connected(gateway, 'online', startMs))]);
    const reads = ['BatchGetItem on Companies', 'BatchGetItem on Contracts', 'Query on Appliances'];
    expect([...usedActions(world.store, world.proxy.exchanges)].toSorted()).toEqual(reads);
  });
});

describe('a queue that refuses a message', () => {
  const ofGateway = (gatewayId: string, error: Error) => (message: FifoMessage) =>
    message.groupId === gatewayId ? error : undefined;
  const twoGateways = async () => {
    const [one, other] = [await gatewayWithChanges(), await gatewayWithChanges()];
    const items = [one.circuit, other.circuit, one.program, other.program];
    return { one, other, records: items.map((item, index) => applianceRecord(index, unrequested(item), item)) };
  };

  test('because it is down stops the messages of this gateway, and of no other gateway', async () => {
    const { one, other, records } = await twoGateways();
    const { messages, logged, failed, setAside } = await relay(records, ofGateway(one.gatewayId, unavailable()));
    expect(failed).toEqual(['0']);
    expect(messages.map(({ groupId }) => groupId)).toEqual([other.gatewayId, other.gatewayId]);
    const refused = logged.filter(({ outcome }) => outcome === 'failed');
    expect(refused).toMatchObject([{ level: 'ERROR', gatewayId: one.gatewayId, messages: 0 }]);
    expect(setAside).toEqual([]);
  });

  test('later gets the remaining messages from the same process, and no message twice', async () => {
    const { one, records } = await twoGateways();
    const process = newStreamProcess();
    await relay(records, ofGateway(one.gatewayId, unavailable()), process);
    const { messages, failed } = await relay(records, undefined, process);
    expect([failed, messages.map(({ groupId }) => groupId)]).toEqual([[], [one.gatewayId, one.gatewayId]]);
  });

  test('for a lasting reason causes one message to the failure queue, and blocks no other message', async () => {
    const { one, other, records } = await twoGateways();
    const process = newStreamProcess();
    const isPoison = ({ body }: FifoMessage) =>
      body.includes(one.gatewayId) && body.includes('"circuit"') ? refusedContents : undefined;
    const { messages, logged, failed, setAside } = await relay(records, isPoison, process);
    expect(failed).toEqual([]);
    expect(messages.map(({ groupId }) => groupId).toSorted()).toEqual(
      [one.gatewayId, other.gatewayId, other.gatewayId].toSorted(),
    );
    const { gatewayId, sk } = one.circuit as { gatewayId: string; sk: string };
    expect(setAside).toEqual([
      {
        consumer: 'relayRequestedChanges',
        recordId: 'record-0',
        keys: { gatewayId: { S: gatewayId }, sk: { S: sk } },
        sequenceNumber: '0',
        changedAt: '2036-03-10T12:00:00Z',
        setAsideAt: '2036-03-10T12:00:00Z',
        error: 'InvalidMessageContents: A character is not allowed.',
      },
    ]);
    expect(logged.filter(({ outcome }) => outcome === 'set-aside')).toMatchObject([{ level: 'ERROR', gatewayId }]);
    await relay(records, isPoison, process);
    expect(setAside).toHaveLength(1);
  });

  test('for one open change still gets the others of a gateway that is online again', async () => {
    const { gatewayId, gateway } = await gatewayWithChanges();
    const facts = { ...(gateway.facts as object), connectivity: { ...factTimesAt(startMs), connectivity: 'online' } };
    const record = applianceRecord(0, gateway, { ...gateway, facts });
    const { events, setAside } = await relay([record], ({ body }) =>
      body.includes('"circuit"') ? refusedContents : undefined,
    );
    expect(events.map(({ data }) => data.item.kind)).toEqual(['time-program']);
    expect(setAside).toMatchObject([{ keys: { gatewayId: { S: gatewayId } } }]);
  });

  test('causes redelivery of the record until it can be set aside', async () => {
    const { circuit } = await gatewayWithChanges();
    const process = { ...newStreamProcess(), send: () => Promise.reject(unavailable()) };
    const record = applianceRecord(7, unrequested(circuit), circuit);
    const { failed, logged } = await relay([record], () => refusedContents, process);
    expect([failed, logged.map(({ outcome }) => outcome)]).toEqual([['7'], ['failed']]);
  });
});

test('a change without a requester is never sent: its record is set aside', async () => {
  const { gatewayId, circuit } = await gatewayWithChanges();
  const nobodys = { ...circuit, desiredBy: undefined };
  const { messages, failed, setAside } = await relay([applianceRecord(0, unrequested(circuit), nobodys)]);
  expect([failed, messages]).toEqual([[], []]);
  expect(setAside).toMatchObject([{ keys: { gatewayId: { S: gatewayId } }, error: expect.stringContaining('nobody') }]);
});

test('an unreadable record is set aside, and later records of its gateway are relayed', async () => {
  const { gatewayId, circuit } = await gatewayWithChanges();
  const broken = {
    ...applianceRecord(0, undefined, circuit),
    dynamodb: { SequenceNumber: '0', Keys: { gatewayId: {} } },
  };
  const records = [broken as unknown as DynamoDBRecord, applianceRecord(1, unrequested(circuit), circuit)];
  const { messages, failed, setAside } = await relay(records);
  expect([failed, messages.map(({ groupId }) => groupId)]).toEqual([[], [gatewayId]]);
  expect(setAside).toMatchObject([{ recordId: 'record-0', error: expect.stringMatching(/./) }]);
});

describe('open changes', () => {
  test('the open changes of a gateway have the desired values and who asked for each; other rows are ignored', async () => {
    const { gatewayId, key, change, report } = await openCircuitScene(world.store);
    const reverse = { gatewayId, sk: 'COMPANY#acme', desired: {} };
    await world.store.send(new PutCommand({ TableName: world.store.tableName('Appliances'), Item: reverse }));
    expect(await listOpenChanges(world.store, gatewayId)).toEqual([]);
    await change({ operationMode: 'off' });
    const { desiredBy } = await change({ roomSetpointCelsius: 19 }, startMs + 1);
    const asked = { companyId: 'acme', userId: '', keyId: null, requestId: expect.any(String), permittedSinceMs: 0 };
    expect(desiredBy).toEqual({
      operationMode: { ...asked, atMs: startMs, version: 2 },
      roomSetpointCelsius: { ...asked, atMs: startMs + 1, version: 3 },
    });
    expect(await listOpenChanges(world.store, gatewayId)).toMatchObject([
      { ...key, version: 3, desired: { operationMode: 'off', roomSetpointCelsius: 19 }, desiredBy },
    ]);
    await report({}, 2, 3);
    expect(await listOpenChanges(world.store, gatewayId)).toEqual([]);
  });

  test('they are read with strong consistency, to the last page', async () => {
    const { gatewayId, change } = await openCircuitScene(world.store);
    await change({ operationMode: 'off' });
    await putAtOnce(world.store, async ({ send, tableName }) => {
      for (let index = 0; index < 100; index++) {
        const sk = `CIRCUIT#dhw#a${String(index).padStart(3, '0')}`;
        // Together more than the 1 MB of one page.
        const Item = { gatewayId, sk, version: 1, desired: {}, note: 'x'.repeat(12_000) };
        await send(new PutCommand({ TableName: tableName('Appliances'), Item }));
      }
    });
    expect(await consistencyOf(() => listOpenChanges(world.store, gatewayId))).toEqual([true, true]);
    expect(await listOpenChanges(world.store, gatewayId)).toHaveLength(101);
  });
});
