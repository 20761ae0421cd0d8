import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openQueue } from '../../../../test/support/queue.ts';

let queue: Awaited<ReturnType<typeof openQueue>>;
beforeAll(async () => {
  queue = await openQueue();
});
afterAll(() => queue.close());

const send = (MessageBody: string) => queue.client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody }));

// What SendMessage documents: #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.
test.each(['\t\n\r ~\u007f\u009f', '\ud7ff\ue000\ufdd0\ufffd', '🏠', '\u{10000}\u{1ffff}\u{10ffff}'])(
  'takes %j, as SQS does',
  async (text) => {
    await send(text);
    expect(await queue.take()).toBe(text);
  },
);

test.each(['a\u0000', '\u0008', '\u001f', 'evening\ufffe', '\uffff'])('refuses %j, as SQS does', async (text) => {
  await expect(send(text)).rejects.toMatchObject({ name: expect.stringMatching(/InvalidMessageContents$/) });
  const Entries = ['🏠', text].map((MessageBody, index) => ({ Id: `${index}`, MessageBody }));
  const { Failed } = await queue.client.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries }));
  expect(Failed).toMatchObject([{ Id: '1', Code: 'InvalidMessageContents', SenderFault: true }]);
  expect(await queue.take()).toBe('🏠');
});
