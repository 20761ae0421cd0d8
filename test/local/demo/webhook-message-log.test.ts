import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { closeServer, freePort, listenOnLoopback } from 'serve-stack/host';
import { expect, onTestFinished, test } from 'vitest';
import {
  forwardMessage,
  openWebhookMessageLog,
  type ReceivedMessage,
  replayMessage,
} from '../../../local/demo/webhook-message-log.ts';

const message: ReceivedMessage = {
  at: '2026-11-24T10:00:00Z',
  host: 'hooks.acme.example',
  path: '/heating',
  id: 'msg_1',
  headers: {
    'content-type': 'application/json',
    'webhook-id': 'msg_1',
    'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`,
    'webhook-signature': 'v1,aaa v1,bbb',
  },
  body: '{"type":"events.available","data":{"name":"Wärme"}}',
};

/** Starts a receiver with a given answer, and collects the requests that it receives. */
const openReceiver = async (answer: (response: ServerResponse) => void) => {
  const came: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    came.push({ headers: request.headers, body: await text(request) });
    answer(response);
  });
  const url = `http://${await listenOnLoopback(server)}/hook`;
  onTestFinished(() => closeServer(server));
  return { url, came };
};

const openLog = (...messages: ReceivedMessage[]) => {
  const directory = mkdtempSync(join(tmpdir(), 'webhook-messages-'));
  const log = openWebhookMessageLog(directory, (sentence) => expect.unreachable(sentence));
  for (const each of messages) log.add({ ...each, isVerified: null, status: 204 });
  return directory;
};

test('a message is forwarded unchanged; the answer of the receiver is returned and printed in a line', async () => {
  const { url, came } = await openReceiver((response) => response.writeHead(503, { 'retry-after': '7' }).end('busy'));
  const lines: string[] = [];
  const answer = await forwardMessage(message, url, (line) => lines.push(line));
  expect(answer).toEqual({ status: 503, retryAfter: '7' });
  expect(came).toEqual([{ headers: expect.objectContaining(message.headers), body: message.body }]);
  expect(lines).toEqual([expect.stringMatching(`^events.available msg_1 to ${url}: 503 after \\d+ ms$`)]);
});

test.each([
  ['a redirect is an answer and is not followed', 302, { location: 'http://127.0.0.1:9/' }],
  ['gone is an answer', 410, {}],
])('%s', async (_, status, headers) => {
  const { url } = await openReceiver((response) => response.writeHead(status, headers).end());
  expect(await forwardMessage(message, url, () => undefined)).toEqual({ status });
});

test.each(['127.0.0.1', 'localhost'])(
  'without a receiver at %s there is no answer, and the line gives the reason',
  async (host) => {
    const lines: string[] = [];
    const answer = await forwardMessage(message, `http://${host}:${await freePort()}/hook`, (line) => lines.push(line));
    expect(answer).toEqual({ status: null, fault: expect.stringContaining('ECONNREFUSED') });
    expect(lines[0]).toMatch(/: no answer, .*ECONNREFUSED.* after \d+ ms$/);
  },
);

test('a replay sends the last attempt of the message unchanged', async () => {
  const { url, came } = await openReceiver((response) => response.writeHead(204).end());
  const earlier = { ...message, headers: { ...message.headers, 'webhook-signature': 'v1,earlier' } };
  const lines: string[] = [];
  const directory = openLog(earlier, { ...message, id: 'msg_2' }, message, { ...message, id: 'msg_3' });
  await replayMessage({ directory, id: 'msg_1', url }, (line) => lines.push(line));
  expect(came).toEqual([{ headers: expect.objectContaining(message.headers), body: message.body }]);
  expect(lines).toHaveLength(1);
});

test('a replay warns if the signature is too old for a receiver that checks the time', async () => {
  const { url } = await openReceiver((response) => response.writeHead(401).end());
  const seconds = `${Math.floor(Date.now() / 1000) - 421}`;
  const directory = openLog({ ...message, headers: { ...message.headers, 'webhook-timestamp': seconds } });
  const lines: string[] = [];
  const replay = replayMessage({ directory, id: 'msg_1', url }, (line) => lines.push(line));
  await expect(replay).rejects.toThrow('it must answer 2xx');
  expect(lines[0]).toContain('signed 7 minutes ago');
});

test.each([
  [
    'names the last messages',
    () => openLog(message, { ...message, id: 'msg_2' }),
    'The last ones there are msg_1, msg_2.',
  ],
  ['says that none has arrived', () => openLog(), 'None has arrived yet.'],
  ['says that nothing was started', () => mkdtempSync(join(tmpdir(), 'webhook-messages-')), 'start a run first'],
])('a replay of a message that is not there %s', async (_, open, sentence) => {
  const replay = replayMessage({ directory: open(), id: 'msg_9', url: 'http://127.0.0.1:9' }, () => undefined);
  await expect(replay).rejects.toThrow(sentence);
});
