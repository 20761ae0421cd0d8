import { EventEmitter } from 'node:events';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccessKeys } from '../../src/iam/principals.ts';
import { startQueueService } from '../../src/services/queue-service.ts';
import { arnOf, defaultEnvironment as environment } from '../../src/template/template.ts';

const accessKeys = createAccessKeys();
let QueueUrl: string;
let client: SQSClient;
let close: () => Promise<void>;
beforeAll(async () => {
  const service = await startQueueService({
    ...{ environment, accessKeys, events: new EventEmitter() },
    policyOf: () => () => 'allow',
  });
  const [name, url] = ['queue', `${service.endpoint}/${environment.accountId}/queue`];
  const arn = arnOf(environment, 'sqs', name);
  await service.define([{ ...{ constructName: name, name, arn, url, visibilityTimeoutSeconds: 30 }, attributes: {} }]);
  const accessKeyId = accessKeys.issue({ arn: 'arn:aws:sts::000000000000:assumed-role/any/t', decide: () => 'allow' });
  client = new SQSClient({
    ...{ endpoint: service.endpoint, region: environment.region },
    credentials: { accessKeyId, secretAccessKey: 'any' },
  });
  QueueUrl = url;
  close = service.close;
});
afterAll(async () => {
  client.destroy();
  await close();
});

const send = (MessageBody: string) => client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
/** Takes a message out of the queue, and gives its body. */
const take = async () => {
  const { Messages: [message] = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
  if (message) await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
  return message?.Body;
};

// What SendMessage documents: #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.
test.each(['\t\n\r ~\u007f\u009f', '\ud7ff\ue000\ufdd0\ufffd', '🏠', '\u{10000}\u{1ffff}\u{10ffff}'])(
  'takes %j, as SQS does',
  async (text) => {
    await send(text);
    expect(await take()).toBe(text);
  },
);

test.each(['a\u0000', '\u0008', '\u001f', 'evening\ufffe', '\uffff'])('refuses %j, as SQS does', async (text) => {
  await expect(send(text)).rejects.toMatchObject({ name: expect.stringMatching(/InvalidMessageContents$/) });
  const Entries = ['🏠', text].map((MessageBody, index) => ({ Id: `${index}`, MessageBody }));
  const { Failed } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  expect(Failed).toMatchObject([{ Id: '1', Code: 'InvalidMessageContents', SenderFault: true }]);
  expect(await take()).toBe('🏠');
});
