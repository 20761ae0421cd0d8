import { EventEmitter } from 'node:events';
import {
  CancelMessageMoveTaskCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
  type StartMessageMoveTaskCommandInput,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAccessKeys } from '../src/iam/principals.ts';
import type { QueueDefinition } from '../src/services/queue-definitions.ts';
import { startQueueService } from '../src/services/queue-service.ts';
import { arnOf, defaultEnvironment as environment } from '../src/template/stack.ts';

const arn = (name: string) => arnOf(environment, 'sqs', name);
let sqs: SQSClient;
let urlOf: (name: string) => string;
let close: () => Promise<void>;
/** The actions that the caller may not perform, and all requested actions. */
const denied = new Set<string>();
const asked = new Set<string>();

beforeAll(async () => {
  const accessKeys = createAccessKeys();
  const service = await startQueueService({
    environment,
    accessKeys,
    events: new EventEmitter(),
    policyOf: () => undefined,
  });
  urlOf = (name) => `${service.endpoint}/${environment.accountId}/${name}`;
  const queue = (name: string, attributes: Record<string, string> = {}, deadLetters?: string): QueueDefinition => {
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn(deadLetters ?? ''), maxReceiveCount: 9 });
    return {
      constructName: name,
      name,
      arn: arn(name),
      url: urlOf(name),
      visibilityTimeoutSeconds: 30,
      attributes: { ...attributes, ...(deadLetters && { RedrivePolicy }) },
    };
  };
  const fifo = { FifoQueue: 'true' };
  await service.define([queue('dead'), queue('dead.fifo', fifo)]);
  await service.define([
    ...[queue('dead'), queue('dead.fifo', fifo), queue('work', {}, 'dead')],
    ...[queue('work.fifo', fifo, 'dead.fifo'), queue('narrow', { MaximumMessageSize: '1024' })],
  ]);
  const accessKeyId = accessKeys.issue({
    arn: `arn:aws:sts::${environment.accountId}:assumed-role/any/t`,
    decide: ({ action, resource }) => {
      const what = `${action} on ${resource.replace(/.*:/, '')}`;
      asked.add(what);
      return denied.has(what) ? 'implicit deny' : 'allow';
    },
  });
  const credentials = { accessKeyId, secretAccessKey: 'any' };
  sqs = new SQSClient({ endpoint: service.endpoint, region: environment.region, credentials });
  close = service.close;
});
afterAll(async () => {
  sqs.destroy();
  await close();
});

const send = (queue: string, MessageBody: string, more: object = {}) =>
  sqs.send(new SendMessageCommand({ QueueUrl: urlOf(queue), MessageBody, ...more }));
const fill = async (queue: string, count: number) => {
  for (let n = 0; n < count; n++) await send(queue, `${n}`);
};
/** Receives and deletes all messages of a queue. */
const drain = async (queue: string): Promise<Message[]> => {
  const QueueUrl = urlOf(queue);
  const names = { MessageSystemAttributeNames: ['All' as const], MessageAttributeNames: ['All'] };
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...names }));
  for (const { ReceiptHandle } of Messages) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  return Messages.length === 0 ? [] : [...Messages, ...(await drain(queue))];
};
const start = (more: Partial<StartMessageMoveTaskCommandInput> = {}) =>
  sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arn('dead'), DestinationArn: arn('work'), ...more }));
const list = async (SourceArn = arn('dead'), MaxResults?: number) =>
  (await sqs.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults }))).Results ?? [];
const cancel = (TaskHandle: string | undefined) => sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
/** Waits until the last task has ended, and returns it. */
const ended = async (source = 'dead') => {
  for (;;) {
    const [task] = await list(arn(source));
    if (task?.Status !== 'RUNNING' && task?.Status !== 'CANCELLING') return task;
  }
};

beforeEach(async () => {
  for (const queue of ['dead', 'work']) await drain(queue);
});

test('a task moves all messages with their attributes, and reports their number', async () => {
  await fill('dead', 25);
  const fault = { DataType: 'String', StringValue: 'invalid' };
  await send('dead', 'told', { MessageAttributes: { fault } });
  const startedAtMs = Date.now();
  await start();
  expect(await ended()).toEqual({
    Status: 'COMPLETED',
    SourceArn: arn('dead'),
    DestinationArn: arn('work'),
    ApproximateNumberOfMessagesMoved: 26,
    ApproximateNumberOfMessagesToMove: 26,
    StartedTimestamp: expect.any(Number),
  });
  expect((await ended())?.StartedTimestamp).toBeGreaterThanOrEqual(startedAtMs);
  const moved = await drain('work');
  expect(moved.map(({ Body }) => Body).toSorted()).toEqual([...Array(25).keys(), 'told'].map(String).toSorted());
  expect(moved.find(({ Body }) => Body === 'told')?.MessageAttributes).toEqual({ fault });
  expect(await drain('dead')).toEqual([]);
});

test('a FIFO queue receives the messages of each group once, in order', async () => {
  const groups = ['a', 'b'];
  for (const version of [1, 2, 3])
    for (const MessageGroupId of groups)
      await send('dead.fifo', `${version}`, { MessageGroupId, MessageDeduplicationId: `${MessageGroupId}${version}` });
  await start({ SourceArn: arn('dead.fifo'), DestinationArn: arn('work.fifo') });
  expect((await ended('dead.fifo'))?.ApproximateNumberOfMessagesMoved).toBe(6);
  const moved = await drain('work.fifo');
  for (const group of groups)
    expect(moved.filter(({ Attributes }) => Attributes?.MessageGroupId === group).map(({ Body }) => Body)).toEqual([
      ...['1', '2', '3'],
    ]);
});

test('a running task shows its handle, is the only one of its queue, and ends when cancelled', async () => {
  await fill('dead', 100);
  const { TaskHandle } = await start({ MaxNumberOfMessagesPerSecond: 10 });
  expect(await list()).toMatchObject([{ Status: 'RUNNING', TaskHandle, MaxNumberOfMessagesPerSecond: 10 }]);
  await expect(start()).rejects.toThrow('There is already a task running. Only one active task is allowed');
  const { ApproximateNumberOfMessagesMoved = -1 } = await cancel(TaskHandle);
  expect(ApproximateNumberOfMessagesMoved).toBeGreaterThanOrEqual(0);
  const [cancelled] = await list();
  expect(cancelled?.Status).toMatch(/^CANCELL(ING|ED)$/);
  expect(cancelled).not.toHaveProperty('TaskHandle');
  const task = await ended();
  expect(task?.Status).toBe('CANCELLED');
  expect(await drain('work')).toHaveLength(task?.ApproximateNumberOfMessagesMoved ?? -1);
  await expect(cancel(TaskHandle)).rejects.toThrow('Only active tasks can be cancelled.');
  await start();
  expect((await ended())?.Status).toBe('COMPLETED');
  expect((await list(arn('dead'), 2)).map(({ Status }) => Status)).toEqual(['COMPLETED', 'CANCELLED']);
});

test('a task fails with its reason when the destination refuses a message, and loses none', async () => {
  await send('dead', 'x'.repeat(2000));
  await start({ DestinationArn: arn('narrow') });
  expect(await ended()).toMatchObject({
    Status: 'FAILED',
    FailureReason: 'AWS.SimpleQueueService.InvalidParameterValue',
    ApproximateNumberOfMessagesMoved: 0,
  });
  const name = 'ApproximateNumberOfMessagesNotVisible';
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: urlOf('dead'), AttributeNames: [name] }),
  );
  expect(Attributes?.[name]).toBe('1');
});

describe('SQS refuses', () => {
  test.each<[string, string, Partial<StartMessageMoveTaskCommandInput>]>([
    ['a source that does not exist', "the SourceArn parameter doesn't exist", { SourceArn: arn('nowhere') }],
    [
      'a source that is no dead-letter queue',
      'must be configured as a Dead Letter Queue',
      { SourceArn: arn('narrow') },
    ],
    ['a destination that does not exist', "the DestinationArn parameter doesn't exist", { DestinationArn: arn('no') }],
    ['a destination of another kind', 'of the same queue type', { DestinationArn: arn('work.fifo') }],
    ['no rate', 'MaxNumberOfMessagesPerSecond is invalid', { MaxNumberOfMessagesPerSecond: 0 }],
    ['too high a rate', 'MaxNumberOfMessagesPerSecond is invalid', { MaxNumberOfMessagesPerSecond: 501 }],
  ])('a task with %s', async (_, words, more) => {
    await expect(start(more)).rejects.toThrow(words);
  });

  test('unknown handles and sources', async () => {
    const handleOf = (ids: object) => Buffer.from(JSON.stringify(ids)).toString('base64');
    await expect(cancel('none')).rejects.toThrow('Value for parameter TaskHandle is invalid.');
    const elsewhere = { taskId: 't', sourceArn: arn('nowhere') };
    await expect(cancel(handleOf(elsewhere))).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await expect(cancel(handleOf({ taskId: 't', sourceArn: arn('dead') }))).rejects.toThrow('Task does not exist.');
    await expect(list(arn('nowhere'))).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

test('a task without a destination is an error: the origin of messages is not recorded', async () => {
  await expect(start({ DestinationArn: undefined })).rejects.toThrow('StartMessageMoveTask without DestinationArn');
});

// The minimum permissions that SQS documents.
const moving = ['receivemessage', 'deletemessage', 'getqueueattributes'].map((action) => `sqs:${action} on dead`);
const task = Buffer.from(JSON.stringify({ taskId: 't', sourceArn: arn('dead') })).toString('base64');
describe.each<[string, () => Promise<unknown>, string[]]>([
  ['start', () => start(), ['sqs:startmessagemovetask on dead', ...moving, 'sqs:sendmessage on work']],
  ['cancel', () => cancel(task), ['sqs:cancelmessagemovetask on dead', ...moving]],
  ['list', () => list(), ['sqs:listmessagemovetasks on dead', 'sqs:getqueueattributes on dead']],
])('to %s a task requires all permissions that it uses', (_, operate, rights) => {
  test.each(rights)('%s', async (right) => {
    asked.clear();
    await operate().catch(() => undefined);
    expect([...asked].sort()).toEqual(rights.toSorted());
    denied.add(right);
    await expect(operate()).rejects.toMatchObject({
      name: 'AccessDenied',
      message: expect.stringContaining(right.split(' ')[0] as string),
    });
    denied.clear();
    await ended();
  });
});
