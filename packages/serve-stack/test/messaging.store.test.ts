import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { serveStack } from '../src/serve-stack.ts';
import type { ServedStack } from '../src/served-stack.ts';
import type { QueueDepth } from '../src/services/queue-engine.ts';
import { call, temporaryDirectory, timeFactor } from './fixture.ts';
import { shopAccount, synthesizeOrders, warehouseAccount } from './orders-stack.ts';

let served: ServedStack;
const printed: string[] = [];
beforeAll(async () => {
  served = await serveStack({
    assembly: synthesizeOrders(),
    directory: temporaryDirectory(),
    dynamoDbEndpoint: inject('dynamoDbEndpoint'),
    tablePrefix: `orders-${process.pid}-`,
    timeFactor,
    print: (line) => printed.push(line),
  });
});
afterAll(() => served.close());

const region = 'eu-west-1';
const rootOf = (account: string) => `arn:aws:iam::${account}:root`;
const busAs = (principal?: string) => {
  const { eventEndpoint: endpoint, credentialsOf } = served.messaging;
  return new EventBridgeClient({ endpoint, region, credentials: credentialsOf(principal) });
};
const queuesAs = (principal?: string) => {
  const { queueEndpoint: endpoint, credentialsOf } = served.messaging;
  return new SQSClient({ endpoint, region, credentials: credentialsOf(principal) });
};
const urlOf = (queue: string): string => {
  const url = served.messaging.queueUrls()[queue];
  if (url === undefined) throw new RangeError(`No queue ${queue}.`);
  return url;
};

type Order = { readonly orderId: string; readonly total: number; readonly address?: string };

const placed = ({ address = 'here', ...order }: Order): PutEventsRequestEntry => ({
  EventBusName: 'shop',
  Source: 'shop',
  DetailType: 'Order placed',
  Detail: JSON.stringify({ address, ...order }),
});
const place = (...orders: Order[]) =>
  busAs(rootOf(shopAccount)).send(new PutEventsCommand({ Entries: orders.map(placed) }));

/** Waits for a matching message, and removes it and all messages before it from the queue. */
const takeUntil = async (queue: string, fits: (message: Message) => boolean, client = queuesAs()) => {
  const QueueUrl = urlOf(queue);
  const taken: Message[] = [];
  while (!taken.some(fits)) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1, MessageAttributeNames: ['All'] }),
    );
    for (const { ReceiptHandle } of Messages) await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    taken.push(...Messages);
  }
  return taken;
};
const bodyOf = ({ Body = '' }: Message) => JSON.parse(Body);

describe('an event on a bus passes through the stack', () => {
  test('from the rule to the queue, the table and its stream, with each order’s changes in order', async () => {
    await place({ orderId: 'a', total: 1 });
    const [first] = await takeUntil('Shipments', (message) => bodyOf(message).orderId === 'a');
    await place({ orderId: 'a', total: 2 });
    const [second] = await takeUntil('Shipments', (message) => bodyOf(message).orderId === 'a');
    expect([first, second].map((message) => bodyOf(message as Message))).toEqual([
      { orderId: 'a', total: '1' },
      { orderId: 'a', total: '2', before: '1' },
    ]);
  });

  test('a poison message becomes a dead letter, and the others of its batch do not', async () => {
    await place({ orderId: 'b1', total: 1 }, { orderId: 'poison', total: -1 }, { orderId: 'b2', total: 1 });
    const dead = await takeUntil('DeadOrders', () => true);
    expect(dead.map(bodyOf)).toEqual([{ orderId: 'poison', total: -1, address: 'here' }]);
    for (const id of ['b1', 'b2']) await takeUntil('Shipments', (message) => bodyOf(message).orderId === id);
  });

  test('a record that a function cannot handle is given up after its retries; later ones follow', async () => {
    await place({ orderId: 'c1', total: 1, address: 'nowhere' }, { orderId: 'c2', total: 1 });
    await takeUntil('Shipments', (message) => bodyOf(message).orderId === 'c2');
    const [notice] = await takeUntil('FailedShipments', () => true);
    expect(bodyOf(notice as Message)).toMatchObject({
      requestContext: { condition: 'RetryAttemptsExhausted', approximateInvokeCount: 2 },
      DDBStreamBatchInfo: {
        batchSize: 1,
        streamArn: expect.stringMatching(/^arn:aws:dynamodb:eu-west-1:777788889999:/),
      },
    });
    expect(printed.join('\n')).toMatch(/the function Shop-Shipping\w+ failed: its handler threw: No such address/);
  });

  test('hastened mappings give up a record sooner by their factor', async () => {
    const twentyThreeHoursInAMoment = 1e9;
    served.hastenMappings(twentyThreeHoursInAMoment);
    await place({ orderId: 'd1', total: 1 });
    const [notice] = await takeUntil('FailedShipments', () => true);
    expect(bodyOf(notice as Message).requestContext.condition).toBe('RecordAgeExceeded');
    served.hastenMappings(1);
    await place({ orderId: 'd2', total: 1 });
    const taken = await takeUntil('Shipments', (message) => bodyOf(message).orderId === 'd2');
    expect(taken.map((message) => bodyOf(message).orderId)).not.toContain('d1');
  });
});

describe('a caller without permission is refused with AWS’s message', () => {
  test('a function whose role grants neither the queue nor the bus', async () => {
    const { baseUrl, caFile } = served;
    const { origin, pathname } = new URL(baseUrl);
    const { body } = await call(origin.replace('localhost', '127.0.0.1'), `${pathname}/`, {
      ca: readFileSync(caFile, 'utf8'),
    });
    const session = /arn:aws:sts::777788889999:assumed-role\/Shop-Spying\w+\/Shop-Spying\w+/.source;
    expect(JSON.parse(body)).toEqual({
      queue: {
        name: 'AccessDenied',
        message: expect.stringMatching(
          `^User: ${session} is not authorized to perform: sqs:sendmessage on resource: arn:aws:sqs:eu-west-1:777788889999:Shop-Orders\\w+ because no identity-based policy allows the sqs:sendmessage action$`,
        ),
      },
      bus: {
        name: 'AccessDeniedException',
        message: expect.stringMatching(
          `^User: ${session} is not authorized to perform: events:PutEvents on resource: arn:aws:events:eu-west-1:777788889999:event-bus/shop because no identity-based policy allows the events:PutEvents action$`,
        ),
      },
    });
  });

  test('an outside principal has exactly the access that the queue’s policy grants', async () => {
    const warehouse = queuesAs(rootOf(warehouseAccount));
    await place({ orderId: 'd', total: 1 });
    await takeUntil('Shipments', (message) => bodyOf(message).orderId === 'd', warehouse);
    const send = new SendMessageCommand({ QueueUrl: urlOf('Shipments'), MessageBody: 'x', MessageGroupId: 'x' });
    await expect(warehouse.send(send)).rejects.toThrow(
      `User: ${rootOf(warehouseAccount)} is not authorized to perform: sqs:sendmessage on resource: arn:aws:sqs:eu-west-1:`,
    );
    await expect(warehouse.send(send)).rejects.toThrow('because no resource-based policy allows the sqs:sendmessage');
  });

  test.each([
    ['another source', rootOf(shopAccount), { Source: 'bank' }],
    ['another kind of event', rootOf(shopAccount), { DetailType: 'Order paid' }],
    ['another account', rootOf(warehouseAccount), {}],
    ['another bus', rootOf(shopAccount), { EventBusName: 'default' }],
  ])('%s on a bus', async (_, principal, change) => {
    const entry = { ...placed({ orderId: 'e', total: 1 }), ...change };
    await expect(busAs(principal).send(new PutEventsCommand({ Entries: [entry] }))).rejects.toThrow(
      'because no resource-based policy allows the events:PutEvents action',
    );
  });

  test('an unknown access key', async () => {
    const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'x' };
    const { queueEndpoint, eventEndpoint } = served.messaging;
    const queues = new SQSClient({ endpoint: queueEndpoint, region, credentials });
    const buses = new EventBridgeClient({ endpoint: eventEndpoint, region, credentials });
    const receive = new ReceiveMessageCommand({ QueueUrl: urlOf('Orders') });
    const put = new PutEventsCommand({ Entries: [placed({ orderId: 'f', total: 1 })] });
    await expect(queues.send(receive)).rejects.toThrow('The security token included in the request is invalid.');
    await expect(buses.send(put)).rejects.toThrow('The security token included in the request is invalid.');
  });
});

test('the owner of the account sees a queue with its names in the template', async () => {
  const AttributeNames = ['QueueArn', 'RedrivePolicy', 'VisibilityTimeout'] as const;
  const { Attributes } = await queuesAs().send(
    new GetQueueAttributesCommand({ QueueUrl: urlOf('Orders'), AttributeNames: [...AttributeNames] }),
  );
  expect({ ...Attributes, RedrivePolicy: JSON.parse(Attributes?.RedrivePolicy ?? '') }).toEqual({
    QueueArn: expect.stringMatching(/^arn:aws:sqs:eu-west-1:777788889999:Shop-Orders\w+$/),
    RedrivePolicy: {
      deadLetterTargetArn: expect.stringMatching(/^arn:aws:sqs:eu-west-1:777788889999:Shop-DeadOrders\w+$/),
      maxReceiveCount: 2,
    },
    VisibilityTimeout: '1',
  });
});

test('invalid entries are reported, and the other entries are put', async () => {
  const entry = placed({ orderId: 'g', total: 1 });
  const { FailedEntryCount, Entries = [] } = await busAs().send(
    new PutEventsCommand({
      Entries: [{ ...entry, Detail: '[1]' }, { ...entry, Source: '' }, { ...entry, Source: 'aws.s3' }, entry],
    }),
  );
  expect(FailedEntryCount).toBe(3);
  expect(Entries.map(({ ErrorCode }) => ErrorCode)).toEqual([
    'MalformedDetail',
    'InvalidArgument',
    'NotAuthorizedForSourceException',
    undefined,
  ]);
  await takeUntil('Shipments', (message) => bodyOf(message).orderId === 'g');
});

test('listeners receive the depth of queues and the age of stream records', async () => {
  const { telemetry } = served;
  const QueueUrl = urlOf('LostEvents');
  const { Attributes } = await queuesAs().send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  const queueName = Attributes?.QueueArn?.split(':').at(-1);
  const startedAtMs = Date.now();
  await queuesAs().send(new SendMessageCommand({ QueueUrl, MessageBody: '"old"' }));
  const depth = await new Promise<QueueDepth>((resolve) => {
    telemetry.on('queueDepth', (found) => found.queueName === queueName && resolve(found));
  });
  telemetry.removeAllListeners('queueDepth');
  expect(depth).toMatchObject({ visible: 1, notVisible: 0, delayed: 0 });
  expect(depth.oldestSentAtMs).toBeGreaterThanOrEqual(startedAtMs);

  const batch = once(telemetry, 'streamBatch');
  await place({ orderId: 'i', total: 1 });
  expect(await batch).toEqual([
    { functionName: expect.stringMatching(/^Shop-Shipping/), lastRecordAtMs: expect.any(Number) },
  ]);
  await takeUntil('Shipments', (message) => bodyOf(message).orderId === 'i');
  await takeUntil('LostEvents', () => true);
});

test('another assembly of the stack keeps the messages of its queues', async () => {
  const QueueUrl = urlOf('LostEvents');
  await queuesAs().send(new SendMessageCommand({ QueueUrl, MessageBody: '"kept"' }));
  await served.replace(synthesizeOrders({ retentionDays: 7 }));
  const AttributeNames = ['MessageRetentionPeriod', 'ApproximateNumberOfMessages'] as const;
  const { Attributes } = await queuesAs().send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
  );
  expect(Attributes).toEqual({ MessageRetentionPeriod: String(7 * 86_400), ApproximateNumberOfMessages: '1' });
  await place({ orderId: 'h', total: 1 });
  await takeUntil('Shipments', (message) => bodyOf(message).orderId === 'h');
});
