import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { issueServerCertificate } from 'serve-stack/host';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasPython } from '../../support/service.ts';
import { complete, expectPlayed, nowMs, type Played, type Scenario } from '../scenarios/scenario.ts';
import { subjects } from '../scenarios/scenarios.ts';

describe.skipIf(!hasPython)('the Python client (needs python3, 3.9 or newer)', () => {
  const played = new Map<Scenario, Played>();
  beforeAll(async () => {
    const all = Object.values(subjects).flatMap((scenarios) => Object.values(scenarios));
    for (const [index, each] of (await playInPython(all)).entries()) played.set(all[index] as Scenario, each);
  });

  describe.each(Object.entries(subjects))('%s:', (_, scenarios) => {
    test.each(Object.entries(scenarios))('%s', (_, scenario) => {
      expectPlayed(scenario, played.get(scenario) as Played);
    });
  });
});

test.skipIf(!hasPython).each(['test_client.py', 'test_transport.py'])(
  'the tests of Python-only features in %s pass (needs python3, 3.9 or newer)',
  async (file) => {
    const env = { ...pythonEnvironment(), ...(await openServer()) };
    const { stderr } = await promisify(execFile)('python3', [`test/partner/python/${file}`], { env });
    expect(stderr).toMatch(/Ran \d\d tests in .*\n\nOK\n$/);
  },
);

test.skipIf(!hasPython)('the client has only syntax of Python 3.9', () => {
  const program = `import ast, sys
for name in sys.argv[1:]: ast.parse(open(name).read(), name, feature_version=(3, 9))`;
  const files = globSync('partner/python/**/*.py');
  expect(files.length).toBeGreaterThan(14);
  const { status, stderr } = spawnSync('python3', ['-c', program, ...files], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

/** Plays scenarios with the client for Python, all in one process. Returns what the client did, in the same order. */
const playInPython = async (scenarios: readonly Scenario[]): Promise<Played[]> => {
  const child = spawn('python3', [resolve('test/partner/python/driver.py')], { env: pythonEnvironment() });
  child.stdin.end(JSON.stringify({ nowMs, scenarios: scenarios.map(complete) }));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (output === '') throw new Error(`The driver of the Python client has failed:\n${errors}`);
  return JSON.parse(output, inTypeScript);
};

/** Returns a value with the names of TypeScript: the member `request_id` is `requestId`, and so are names in `detail`. */
const inTypeScript = (name: string, value: unknown): unknown => {
  const camel = (text: string) => text.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter) => letter.toUpperCase());
  if (typeof value === 'string') return name === 'detail' ? camel(value) : value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, each]) => [camel(member), each]));
};

/** Makes Python import the client from its sources and write no bytecode. */
const pythonEnvironment = () => ({
  ...process.env,
  PYTHONPATH: resolve('partner/python'),
  PYTHONDONTWRITEBYTECODE: '1',
});

const openServer = async () => {
  const { ca, certificate, privateKey } = await issueServerCertificate(Date.now());
  const caFile = join(mkdtempSync(join(tmpdir(), 'python-client-')), 'ca.pem');
  writeFileSync(caFile, ca);
  const used = new Set<unknown>();
  const server = createServer({ cert: certificate, key: privateKey }, async (request, response) => {
    const { method, url, headers } = request;
    if (url === '/silence') return;
    const isFirst = !used.has(request.socket);
    used.add(request.socket);
    if (url === '/breaks-later' && !isFirst) return request.socket.destroy();
    if (url === '/last') response.setHeader('connection', 'close');
    if (url === '/then-closes') response.once('finish', () => setTimeout(() => request.socket.end(), 20));
    if (url === '/break') return request.socket.destroy();
    if (url === '/redirect') return response.writeHead(302, { location: '/echo' }).end();
    if (url === '/missing') return response.writeHead(404).end();
    if (url?.startsWith('/raw/')) return request.socket.write(Buffer.from(url.slice(5), 'hex'));
    if (url === '/hints') response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    const port = request.socket.remotePort;
    const echo = JSON.stringify({ method, url, headers, port, body: await text(request) });
    response.writeHead(202, { 'x-several': ['1', '2'], 'content-length': Buffer.byteLength(echo) }).end(echo);
  }).listen(0, '127.0.0.1');
  const proxy = createProxy().on('connect', ({ url, headers }, socket: Socket) => {
    const isAllowed = headers['proxy-authorization'] === `Basic ${btoa('user:p@ss')}`;
    if (!isAllowed) return socket.end(`HTTP/1.1 407 No login for ${url}\r\n\r\n`);
    const { port } = new URL(`http://${url}`);
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    return socket.pipe(connect(Number(port), '127.0.0.1')).pipe(socket);
  });
  const [SERVER_URL, PROXY_URL] = [
    `https://${await addressOf(server)}`,
    `http://${await addressOf(proxy.listen(0, '127.0.0.1'))}`,
  ];
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    proxy.close();
  });
  return { SERVER_URL, PROXY_URL, SSL_CERT_FILE: caFile };
};

const addressOf = async (server: Server): Promise<string> => {
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};
