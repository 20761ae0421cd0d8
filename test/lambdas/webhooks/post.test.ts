import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answering, internet, type Network, post } from '../../../lambdas/webhooks/post.ts';
import { publicAddress, receiverHost, startReceiver } from '../../support/webhooks.ts';

const url = `https://${receiverHost}/heating?a=b`;
const content = { headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' }, body: '{"type":"t"}' };
/** The tests must not depend on the speed of this machine. */
const patience = { connectMs: 60_000, totalMs: 60_000 };

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(() => {
  receiver.answerWith(204);
  receiver.resolveTo(publicAddress);
  receiver.arrived.length = 0;
  receiver.connections.length = 0;
});

const send = (network: Partial<Network> = {}, limits = patience) =>
  post({ ...receiver.network, ...network }, url, content, limits);

describe('a request', () => {
  test('arrives unchanged, and its status and duration are returned', async () => {
    expect(await send()).toEqual({ status: 204, fault: null, durationMs: expect.any(Number), retryAfter: undefined });
    const [arrived] = receiver.arrived;
    expect(arrived).toMatchObject({
      path: '/heating?a=b',
      body: content.body,
      headers: { ...content.headers, host: receiverHost, connection: 'close' },
    });
    expect(receiver.connections).toEqual([{ hostName: receiverHost, addresses: [publicAddress] }]);
  });

  test.each([200, 299, 400, 410, 429, 500, 503])('returns the status %d', async (status) => {
    receiver.answerWith(status);
    expect(await send()).toMatchObject({ status, fault: null });
  });

  test.each(['000', '042', '099', '600', '999'])(
    'does not accept the status %s: HTTP has 100 to 599',
    async (status) => {
      receiver.answerWith((_, __, { socket }) => socket.end(`HTTP/1.1 ${status} Odd\r\ncontent-length: 0\r\n\r\n`));
      const result = await send();
      expect(result).toEqual({ status: null, fault: 'status-not-valid', durationMs: expect.any(Number) });
    },
  );

  test.each([301, 302, 303, 307, 308])('follows no redirect: %d', async (status) => {
    receiver.answerWith((outgoing) => outgoing.writeHead(status, { location: 'https://127.0.0.1/' }).end());
    expect(await send()).toMatchObject({ status, fault: null });
    expect(receiver.arrived).toHaveLength(1);
    expect(receiver.connections).toHaveLength(1);
  });

  test('returns how long the receiver asks to wait', async () => {
    receiver.answerWith((outgoing) => outgoing.writeHead(503, { 'retry-after': '120' }).end());
    expect(await send()).toMatchObject({ status: 503, retryAfter: '120' });
  });

  test('reads no more than the limit of an answer that does not end', async () => {
    let ended: Promise<unknown> = Promise.resolve();
    receiver.answerWith((outgoing) => {
      ended = once(outgoing, 'close');
      outgoing.writeHead(200).write('x'.repeat(1024));
    });
    expect(await send()).toMatchObject({ status: 200, fault: null });
    await ended;
  });

  test('reads no more than the limit of an endless answer', async () => {
    const chunk = Buffer.alloc(1_000_000);
    // More than the buffers of this process and the system hold of an unread answer.
    const chunks = 100;
    let written = 0;
    let closed: Promise<unknown> = Promise.resolve();
    receiver.answerWith((outgoing) => {
      closed = once(outgoing, 'close');
      const writeOn = () => {
        if (outgoing.destroyed) return;
        if (++written > chunks) outgoing.end();
        else if (outgoing.write(chunk)) setImmediate(writeOn);
        else outgoing.once('drain', writeOn);
      };
      outgoing.writeHead(200);
      writeOn();
    });
    expect(await send()).toMatchObject({ status: 200, fault: null });
    await closed;
    expect(written).toBeLessThan(chunks);
  });

  test('accepts the status of an answer whose body is cut off', async () => {
    receiver.answerWith((outgoing) => {
      outgoing.writeHead(200, { 'content-length': '100' }).write('x');
      setImmediate(() => outgoing.destroy());
    });
    expect(await send()).toMatchObject({ status: 200, fault: null });
  });
});

describe('an address', () => {
  test('is refused if any address of the name is not public', async () => {
    receiver.resolveTo(publicAddress, '1.1.1.1', '10.0.0.1');
    expect(await send()).toMatchObject({ status: null, fault: 'address-not-public' });
    expect(receiver.connections).toEqual([]);
  });

  test('must be IPv4, the only kind that functions reach, and only such addresses are tried', async () => {
    receiver.resolveTo('2606:4700::1', publicAddress);
    expect(await send()).toMatchObject({ status: 204 });
    expect(receiver.connections).toEqual([{ hostName: receiverHost, addresses: [publicAddress] }]);
    receiver.resolveTo('2606:4700::1');
    expect(await send()).toMatchObject({ status: null, fault: 'no-ipv4-address' });
    receiver.resolveTo('2606:4700::1', '::1', publicAddress);
    expect(await send()).toMatchObject({ status: null, fault: 'address-not-public' });
    expect(receiver.connections).toHaveLength(1);
  });

  test('is looked up for each request: a name that changes to a private address is refused at once', async () => {
    expect(await send()).toMatchObject({ status: 204 });
    receiver.resolveTo('127.0.0.1');
    expect(await send()).toMatchObject({ fault: 'address-not-public' });
    expect(receiver.arrived).toHaveLength(1);
  });

  test('is looked up once per request: the connection uses the addresses that were checked', async () => {
    const answers = [[publicAddress], ['127.0.0.1']];
    expect(await send({ resolve: async () => answers.shift() ?? [] })).toMatchObject({ status: 204 });
    expect(receiver.connections).toEqual([{ hostName: receiverHost, addresses: [publicAddress] }]);
    expect(answers).toEqual([['127.0.0.1']]);
  });

  test('must exist', async () => {
    receiver.resolveTo();
    expect(await send()).toMatchObject({ fault: 'name-not-resolved' });
    expect(await send({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })).toMatchObject({
      fault: 'name-not-resolved',
    });
  });
});

describe('a connection to the internet', () => {
  test('goes to port 443 of the checked address, without a look-up of the name', async () => {
    const [error] = await once(internet.connect('localhost.invalid', ['127.0.0.1']), 'error').catch((each) => [each]);
    expect(error).toMatchObject({ code: 'ECONNREFUSED', address: '127.0.0.1', port: 443 });
  });

  test('answers look-ups of one address and of all addresses with the checked ones', async () => {
    const answersTo = (all: boolean) =>
      new Promise((resolve) => answering(['1.1.1.1', '2606::1'])('h', { all }, (...answers) => resolve(answers)));
    expect(await answersTo(false)).toEqual([null, '1.1.1.1', 4]);
    expect(await answersTo(true)).toEqual([
      null,
      [
        { address: '1.1.1.1', family: 4 },
        { address: '2606::1', family: 6 },
      ],
    ]);
  });
});

describe('a receiver', () => {
  test('without a certificate for its name gets nothing', async () => {
    const { connect } = receiver.network;
    const other = { connect: (_: string, addresses: readonly string[]) => connect('other.example', addresses) };
    expect(await send(other)).toMatchObject({ status: null, fault: 'tls-failed' });
    expect(receiver.arrived).toEqual([]);
  });

  test('that closes without an answer has another fault than a refused connection', async () => {
    receiver.answerWith((_, __, incoming) => incoming.socket.destroy());
    expect(await send()).toMatchObject({ fault: 'no-answer' });
    const closed = createServer();
    closed.listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as { port: number };
    closed.close();
    await once(closed, 'close');
    const { connect } = await import('node:tls');
    expect(await send({ connect: () => connect({ host: '127.0.0.1', port }) })).toMatchObject({
      fault: 'not-connected',
    });
  });

  test('that answers with too many headers is a fault', async () => {
    const answerWithHeaders = (bytes: number) =>
      receiver.answerWith((outgoing) => outgoing.writeHead(200, { 'x-long': 'x'.repeat(bytes) }).end());
    answerWithHeaders(7000);
    expect(await send()).toMatchObject({ status: 200, fault: null });
    answerWithHeaders(9000);
    expect(await send()).toMatchObject({ status: null, fault: 'no-answer' });
  });

  test('has a time limit: for a hanging look-up, a hanging connection and a missing answer', async () => {
    const soon = { connectMs: 1, totalMs: 60_000 };
    const never = new Promise<never>(() => undefined);
    expect(await send({ resolve: () => never }, soon)).toMatchObject({ status: null, fault: 'timeout' });
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const { connect } = await import('node:tls');
    expect(await send({ connect: () => connect({ host: '127.0.0.1', port }) }, soon)).toMatchObject({
      fault: 'timeout',
    });
    silent.close();
    let closed: Promise<unknown> = Promise.resolve();
    receiver.answerWith((_, __, incoming) => {
      closed = once(incoming.socket, 'close');
    });
    const whenArrived = { connectMs: 60_000, totalMs: 500 };
    expect(await send({}, whenArrived)).toMatchObject({ status: null, fault: 'timeout' });
    await closed;
  });
});

test('no environment variable and no setting gives access to another network', () => {
  const folder = join(import.meta.dirname, '../../../lambdas/webhooks');
  const files = readdirSync(folder);
  expect(files).toEqual(expect.arrayContaining(['post.ts', 'send-message.ts', 'test-webhook.ts']));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  for (const text of texts) expect(text).not.toMatch(/process\b|\bsetting\(|127\.0\.0\.1|rejectUnauthorized: false/);
  const consumer = readFileSync(join(folder, '../consumers/sendWebhookMessage.ts'), 'utf8');
  expect(consumer).toContain('network: internet,');
});
