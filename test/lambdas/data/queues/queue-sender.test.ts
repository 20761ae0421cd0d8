import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestTimeouts } from '../../../../lambdas/data/function-environment.ts';
import { createQueueSender } from '../../../../lambdas/data/senders.ts';
import { openQueue } from '../../../support/queue.ts';
import { anyText } from '../../../support/random.ts';

const before = { ...process.env };
let queue: Awaited<ReturnType<typeof openQueue>>;
beforeAll(async () => {
  queue = await openQueue();
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL_SQS: queue.endpoint, AWS_REGION: queue.region },
    ...{ AWS_ACCESS_KEY_ID: queue.accessKeyId, AWS_SECRET_ACCESS_KEY: 'any' },
  });
});
afterAll(async () => {
  process.env = before;
  await queue.close();
});

/** What arrives of a text that was sent as JSON. */
const sent = async (text: string): Promise<unknown> => {
  const send = createQueueSender({ POKES_QUEUE: queue.url }, requestTimeouts);
  await send('pokes', { body: JSON.stringify({ text }) });
  return JSON.parse((await queue.take()) ?? 'null')?.text;
};

test.each(['evening\uffff', '\ufffe', '\ud800', '\u0000\u001f\u007f', 'Zu Hause 🏠', '\\uffff', '\u{1ffff}'])(
  'no queue refuses %j, and it arrives as it is',
  async (text) => {
    expect(await sent(text)).toBe(text);
  },
);

test('no text can be refused', async () => {
  await fc.assert(
    fc.asyncProperty(anyText(40), async (text) => {
      expect(await sent(text)).toBe(text);
    }),
    { numRuns: 50 },
  );
});
