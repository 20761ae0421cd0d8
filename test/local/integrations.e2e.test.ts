import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConsumerName } from '../../lambdas/api/background-functions.ts';
import { type NeighbourConnections, operatorMessagingOf } from '../../local/connections.ts';
import { connectToQueues } from '../../local/demo/appliances/backend-queues.ts';
import { synthesizeIfStale } from '../../local/synthesis.ts';
import { connectToLocalRun } from '../../operator/connection/local.ts';
import type { PartnerClient } from '../../partner/client/partner-client.ts';
import { type GatewayReport, gatewayReport } from '../../simulator/gateway-report.ts';
import { reportedCircuits } from '../support/appliance.ts';
import { proven } from '../support/campaign.ts';
import type { QueueConsumer } from '../support/messages.ts';
import { operateForJson } from '../support/operator.ts';
import { done, partnerOf, refused } from '../support/partner.ts';
import { answersIn, openService, openShell, type Service, shellBlocksOf } from '../support/service.ts';
import { eventually } from '../support/time.ts';
import { temporaryDirectory } from './main-run.ts';

let service: Service;
let shell: ReturnType<typeof openShell>;
let acme: PartnerClient;
beforeAll(async () => {
  service = await openService({ isWithoutBackend: true });
  shell = openShell(service);
  acme = partnerOf(service, 'acme');
});
afterAll(async () => {
  await service.close();
  shell.close();
});

/** The commands of docs/integrations.md: the functions, the portal's events and a report. */
const [functions = '', portalEvents = '', fulfilment = ''] = shellBlocksOf(
  readFileSync('docs/integrations.md', 'utf8').split('\n## Try it on one machine\n')[1] ?? '',
);

const paste = async (script: string) => answersIn(await shell.run(functions + script));

/** Reads the outcomes of a consumer's messages from its log. */
const linesOf = (consumer: QueueConsumer): readonly Record<string, unknown>[] => {
  const file = join(service.directory, 'logs', `PartnerApi-local-${consumer}.log`);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

const outcomesOf = (eventId: string) =>
  linesOf('takePortalEvents')
    .filter((line) => line.eventId === eventId)
    .map(({ outcome }) => outcome);

const integrations = () =>
  JSON.parse(readFileSync(join(service.directory, 'integrations.json'), 'utf8')) as NeighbourConnections;

const gateway = { path: { gatewayId: 'gw-1001' } };
const circuit = { path: { ...gateway.path, circuitId: 'hc1' } };

/** Reads the feed of acme: the types of its events in order, and the number of withheld events. */
const feed = async () => {
  const { items, withheld } = (await done(acme.call('listEvents', { query: { limit: 100 } }))).body;
  return { types: items.map(({ type }) => type), last: items.at(-1), withheld };
};

/** The queues, accessed as the owner of the account. */
const ownQueues = () => {
  const { queueEndpoint: endpoint, credentials, queueUrls: urls } = operatorMessagingOf(service.local.served);
  return { client: new SQSClient({ endpoint, region: integrations().region, credentials }), urls };
};

test('the file for the portal and the backend is private and holds only their own connections', proven, () => {
  expect(statSync(join(service.directory, 'integrations.json')).mode & 0o777).toBe(0o600);
  const keys = { accessKeyId: expect.any(String), secretAccessKey: expect.any(String) };
  expect(integrations()).toEqual({
    region: 'eu-central-1',
    portal: { endpoint: expect.any(String), eventBusName: 'PartnerApi-local-portal-events', ...keys },
    gatewayBackend: {
      endpoint: expect.any(String),
      ...keys,
      gatewayReports: expect.stringMatching(/gatewayReports/),
      requestedChanges: expect.stringMatching(/requestedChanges.*\.fifo$/),
    },
  });
});

describe('pasted from docs/integrations.md', () => {
  test(
    'a withdrawal of consent refuses the next request and empties the feed; a late one has no effect',
    proven,
    async () => {
      await eventually(async () => expect((await feed()).types).toContain('circuit.changed'));
      const [withdraw = '', accept = '', again = ''] = portalEvents.split(/(?=^put "\$\(event)|(?=^# the first)/m);
      const output = await shell.run(`${functions}${withdraw}echo "$withdrawal"`);
      const withdrawal = String(output.split('\n').at(-1));
      const { id } = JSON.parse(withdrawal);
      await eventually(() => expect(outcomesOf(id)).toEqual(['applied']));
      expect((await refused(acme.call('getGateway', gateway))).problem).toMatchObject({ status: 451 });
      const { types, withheld } = await feed();
      expect(types).not.toContain('circuit.changed');
      expect(withheld).toBeGreaterThan(0);
      const why = { type: 'consent.changed', data: { consent: { upToDate: false } } };
      await eventually(async () => expect((await feed()).last).toMatchObject(why));

      expect(await paste(accept)).toMatchObject([{ FailedEntryCount: 0 }]);
      await eventually(async () => void (await done(acme.call('getGateway', gateway))));

      expect(await paste(`withdrawal='${withdrawal}'\n${again}`)).toMatchObject([{ FailedEntryCount: 0 }]);
      await eventually(() => expect(outcomesOf(id)).toEqual(['applied', 'stale']));
      await done(acme.call('getGateway', gateway));
    },
  );

  test('a requested change waits in its queue until a report confirms it', proven, async () => {
    const change = await done(acme.call('updateHeatingCircuit', { ...circuit, body: { roomSetpointCelsius: 23.5 } }));
    expect(change.body).toMatchObject({ state: 'pending', version: 2 });
    const [receive = '', report = ''] = fulfilment.split(/(?=^report)/m);
    const [message] = await eventually(async () => {
      const [{ Messages = [] }] = await paste(receive);
      expect(Messages).toHaveLength(1);
      return Messages as { Body: string; ReceiptHandle: string }[];
    });
    expect(JSON.parse(message?.Body ?? '')).toMatchObject({
      type: 'partner-api.change.requested.v1',
      subject: 'gw-1001',
      data: { item: { circuitId: 'hc1' }, version: 2, desired: { roomSetpointCelsius: 23.5 }, companyId: 'acme' },
    });
    await paste(`deleted '${message?.ReceiptHandle}'`);
    expect(await done(acme.call('getHeatingCircuit', circuit))).toMatchObject({ body: { state: 'pending' } });

    expect(await paste(report)).toMatchObject([{ MessageId: expect.any(String) }]);
    await eventually(async () =>
      expect((await done(acme.call('getHeatingCircuit', circuit))).body).toMatchObject({
        state: 'confirmed',
        version: 2,
        roomSetpointCelsius: 23.5,
      }),
    );
  });
});

describe('each neighbour has only its own permissions', () => {
  const queuesAs = ({ accessKeyId, secretAccessKey }: { accessKeyId: string; secretAccessKey: string }) =>
    new SQSClient({
      endpoint: integrations().gatewayBackend.endpoint,
      region: integrations().region,
      credentials: { accessKeyId, secretAccessKey },
    });
  const refusal = (who: string, action: string) =>
    new RegExp(`role/${who} is not authorized to perform: ${action}.* because no resource-based policy allows`);

  test('the portal can neither send reports nor receive changes', proven, async () => {
    const { portal, gatewayBackend } = integrations();
    const queues = queuesAs(portal);
    const send = new SendMessageCommand({ QueueUrl: gatewayBackend.gatewayReports, MessageBody: '{}' });
    await expect(queues.send(send)).rejects.toThrow(refusal('portal', 'sqs:sendmessage'));
    const receive = new ReceiveMessageCommand({ QueueUrl: gatewayBackend.requestedChanges });
    await expect(queues.send(receive)).rejects.toThrow(refusal('portal', 'sqs:receivemessage'));
  });

  test('the backend can neither put events on the bus nor receive reports nor send changes', proven, async () => {
    const { portal, gatewayBackend, region } = integrations();
    const { accessKeyId, secretAccessKey, gatewayReports, requestedChanges } = gatewayBackend;
    const bus = new EventBridgeClient({
      endpoint: portal.endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey },
    });
    const entry = { EventBusName: portal.eventBusName, Source: 'portal', DetailType: 'portal.consent.accepted.v1' };
    const put = new PutEventsCommand({ Entries: [{ ...entry, Detail: '{}' }] });
    await expect(bus.send(put)).rejects.toThrow(refusal('gateway-backend', 'events:PutEvents'));
    const queues = queuesAs(gatewayBackend);
    const receive = new ReceiveMessageCommand({ QueueUrl: gatewayReports });
    await expect(queues.send(receive)).rejects.toThrow(refusal('gateway-backend', 'sqs:receivemessage'));
    const send = new SendMessageCommand({ QueueUrl: requestedChanges, MessageBody: '{}', MessageGroupId: 'x' });
    await expect(queues.send(send)).rejects.toThrow(refusal('gateway-backend', 'sqs:sendmessage'));
  });
});

const report = async (reports: readonly GatewayReport[]) => {
  const { region, gatewayBackend } = integrations();
  const queues = connectToQueues({ region, ...gatewayBackend });
  await queues.send(reports);
  queues.close();
};

const room = (roomTemperatureCelsius: number, atMs: number) =>
  gatewayReport(
    'circuit.reported.v1',
    'gw-1003',
    {
      family: 'heating',
      circuitId: 'hc1',
      reported: { ...reportedCircuits.heating, roomTemperatureCelsius },
    },
    atMs,
  );

const reportsQueue = 'IntegrationsQueuesgatewayReportsQueue';
const deadReports = 'IntegrationsQueuesgatewayReportsDeadLetters';

const roomNow = async () => {
  const path = { gatewayId: 'gw-1003', circuitId: 'hc1' };
  return (await done(acme.call('getHeatingCircuit', { path }))).body.roomTemperatureCelsius;
};

const messagesIn = async (queue: string): Promise<number> => {
  const { client, urls } = ownQueues();
  const AttributeNames = ['ApproximateNumberOfMessages'] as const;
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: urls[queue], AttributeNames: [...AttributeNames] }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages);
};

/** Reads the outcomes of these reports; applied reports share a log line. */
const outcomesOfReports = (reports: readonly GatewayReport[]) => {
  const ids = new Set<unknown>(reports.map(({ id }) => id));
  return linesOf('takeGatewayReports').flatMap(({ eventId, eventIds = [eventId], outcome }) =>
    (eventIds as unknown[]).filter((id) => ids.has(id)).map(() => outcome),
  );
};

test(
  'a poison message becomes a dead letter at once, and the rest of its batch is applied at once',
  proven,
  async () => {
    const startMs = Date.now();
    const good = Array.from({ length: 9 }, (_, index) => room(15 + index / 10, startMs + index));
    const poison = { ...room(99, startMs + 20), type: 'circuit.exploded.v1' } as object as GatewayReport;
    await report([...good.slice(0, 4), poison, ...good.slice(4)]);
    await eventually(() => expect(outcomesOfReports(good)).toEqual(good.map(() => 'applied')));
    expect(await roomNow()).toBe(15.8);

    await eventually(async () => expect(await messagesIn(deadReports)).toBe(1));
    const { client, urls } = ownQueues();
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: urls[deadReports] }));
    expect(Messages.map(({ Body = '' }) => JSON.parse(Body))).toEqual([poison]);
    expect(outcomesOfReports([poison])).toEqual(['unknown-type']);
  },
);

test('a report with one unusable measurement is applied, and the operator sees which measurement', proven, async () => {
  const atMs = Date.now();
  const broken = room(6553.5, atMs);
  await report([room(20, atMs - 1), broken]);
  await eventually(() => expect(outcomesOfReports([broken])).toEqual(['applied-in-part']));
  expect(await roomNow()).toBeNull();
  const { output } = await operateForJson(['integration', 'unusable', '--since', '1h'], {
    store: service.local.store,
    nowMs: Date.now() + 1000,
    connect: () => connectToLocalRun(service.directory),
  });
  expect(output.parts).toMatchObject([
    { pointer: '/data/reported/roomTemperatureCelsius', messages: 1, lastSubject: 'gw-1003', lastEventId: broken.id },
  ]);
});

const backlog = 1000;
test(
  `a consumer that is enabled again processes a backlog of ${backlog}, and the newest report counts`,
  proven,
  async () => {
    const before = await roomNow();
    await service.local.served.replace(await assemblyWithoutMappingOf('takeGatewayReports'));
    const startMs = Date.now() - backlog;
    const reports = Array.from({ length: backlog }, (_, index) =>
      room(index === backlog - 1 ? 25 : 16, startMs + index),
    );
    // The newest report is neither the first nor the last to arrive.
    await report([...reports.slice(backlog / 2), ...reports.slice(0, backlog / 2)]);
    expect(await messagesIn(reportsQueue)).toBe(backlog);
    expect([outcomesOfReports(reports), await roomNow()]).toEqual([[], before]);

    await service.local.served.replace(await synthesizeIfStale());
    await eventually(() => expect(outcomesOfReports(reports)).toHaveLength(backlog));
    expect(new Set(outcomesOfReports(reports))).toEqual(new Set(['applied', 'stale']));
    expect(await roomNow()).toBe(25);
    await eventually(async () => expect(await messagesIn(reportsQueue)).toBe(0));
  },
);

type Resource = { readonly Properties: Record<string, unknown> };

/** The synthesized stack with a disabled event source mapping, as if an operator had disabled it. */
const assemblyWithoutMappingOf = async (consumer: ConsumerName) => {
  const directory = join(temporaryDirectory(), 'cdk.out');
  cpSync(await synthesizeIfStale(), directory, { recursive: true });
  const file = join(directory, 'PartnerApi-local.template.json');
  const template = JSON.parse(readFileSync(file, 'utf8')) as { Resources: Record<string, Resource> };
  for (const [id, { Properties }] of Object.entries(template.Resources))
    if (id.startsWith(`IntegrationsConsumers${consumer}SourceMapping`)) Properties.Enabled = false;
  writeFileSync(file, JSON.stringify(template));
  return directory;
};
