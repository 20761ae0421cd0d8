import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from 'serve-stack/host';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/time.ts';

const key = 'the-key-of-acme';
const sessions = 's-1 acme\ns-2 globex\n';

describe('portal-server.ts of the guide', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'));
  const received: IncomingMessage[] = [];
  const log: string[] = [];
  let api: Server;
  let port: number;
  let child: ChildProcess;

  /** Sends a request exactly as written, and returns the whole answer. */
  const send = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const socket = connect(port, '127.0.0.1');
    const fields = Object.entries({ host: 'localhost', connection: 'close', ...headers });
    socket.write(
      `${method} ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    const parts: Buffer[] = [];
    for await (const part of socket) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text };
  };

  const session = { cookie: 'theme=dark; session=s-1' };
  const ofThisSite = { ...session, 'sec-fetch-site': 'same-origin' };

  beforeAll(async () => {
    api = createServer((request, response) => {
      received.push(request);
      response.writeHead(429, {
        'content-type': 'application/problem+json',
        'retry-after': '2',
        'x-api-key-expires-at': '2036-09-15T12:00:00Z',
      });
      response.end('{"code":"rate-limit-exceeded"}');
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    port = await freePort();
    const env = {
      ...process.env,
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}/v1`,
      KEYS_FOLDER: folder,
      SESSIONS_FILE: join(folder, 'sessions'),
    };
    writeFileSync(join(folder, 'sessions'), sessions);
    writeFileSync(join(folder, 'acme.key'), `${key}\n`);
    child = spawn(process.execPath, [resolve('partner/guide/portal-server.ts')], { env, stdio: [null, null, 'pipe'] });
    child.stderr?.on('data', (text) => log.push(`${text}`));
    await eventually(() => send('GET', '/'));
  });
  afterAll(async () => {
    child.kill();
    await once(child, 'close');
    api.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => void received.splice(0));

  test.each([
    ['GET', '/keys', '/v1/api-keys'],
    ['DELETE', '/keys/k-1', '/v1/api-keys/k-1'],
    ['GET', '/usage', '/v1/usage?by=hour'],
    ['GET', '/changes', '/v1/audit'],
    ['POST', '/webhooks/wh_1/test', '/v1/webhooks/wh_1/test'],
  ])('%s %s calls the API with the key of the session’s company', async (method, path, called) => {
    const { status, text } = await send(method, path, ofThisSite);
    expect(received).toMatchObject([{ method, url: called, headers: { 'x-api-key': key } }]);
    expect(status).toBe(429);
    expect(text).toMatch(/retry-after: 2/i);
    expect(text).toContain('{"code":"rate-limit-exceeded"}');
    expect(text).not.toContain(key);
  });

  test.each([
    ['a mark of Windows and CRLF', '\ufeffs-1 acme\r\ns-2 globex\r\n', 429],
    ['tabs and several blanks', ' s-1\t  acme', 429],
    ['quotes', `'s-1 acme'`, 429],
    ['a line that is no session before it', '\n#\nacme\ns-1 acme\n', 429],
    ['UTF-16', Buffer.from('\ufeffs-1 acme', 'utf16le'), 502],
  ])('reads a sessions file with %s', async (_, content, status) => {
    writeFileSync(join(folder, 'sessions'), content);
    expect((await send('GET', '/keys', session)).status).toBe(status);
    writeFileSync(join(folder, 'sessions'), sessions);
  });

  test.each(['\ufeffKEY\r\n', '"KEY" \r\n', '\tKEY'])('reads a key file with %j', async (content) => {
    writeFileSync(join(folder, 'acme.key'), content.replace('KEY', key));
    expect((await send('GET', '/keys', session)).status).toBe(429);
    expect(received).toMatchObject([{ headers: { 'x-api-key': key } }]);
  });

  test.each([
    ['a second line', `${key}\nx`, 'must contain one line'],
    ['UTF-16', Buffer.from(key, 'utf16le'), 'is saved as UTF-16'],
  ])('the log names a key file with %s and quotes nothing of it', async (_, content, says) => {
    writeFileSync(join(folder, 'acme.key'), content);
    expect((await send('GET', '/keys', session)).status).toBe(502);
    writeFileSync(join(folder, 'acme.key'), key);
    await expect.poll(() => log.join('')).toContain(`${join(folder, 'acme.key')} ${says}`);
    expect(log.join('').replaceAll('\0', '')).not.toContain(key);
  });

  test.each([
    ['without a session', 'GET', '/keys', {}, 401],
    ['with an unknown session', 'GET', '/keys', { cookie: 'session=s-3' }, 401],
    ['with an empty session', 'GET', '/keys', { cookie: 'session=' }, 401],
    ['of another site', 'DELETE', '/keys/k-1', { ...session, 'sec-fetch-site': 'cross-site' }, 403],
    ['that does not name its site', 'DELETE', '/keys/k-1', session, 403],
    ['that would show a secret', 'POST', '/keys', ofThisSite, 404],
    ['for another path', 'GET', '/hvacs', ofThisSite, 404],
    ['with a path that leaves its route', 'DELETE', '/keys/../webhooks/wh_1', ofThisSite, 404],
    ['with a query', 'DELETE', '/keys/k-1?descendants=true', ofThisSite, 404],
    ['of a company without a key', 'GET', '/keys', { cookie: 'session=s-2' }, 502],
  ])('a request %s does not reach the API', async (_, method, path, headers: Record<string, string>, status) => {
    expect((await send(method, path, headers)).status).toBe(status);
    expect(received).toEqual([]);
  });
});
