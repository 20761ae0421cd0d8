import { spawn } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { UserFacingError } from '../src/errors.ts';
import { issueServerCertificate, serverCertificateIn } from '../src/host/certificates.ts';
import { lockDirectory, openLog, readJsonIfWhole, replaceFile } from '../src/host/files.ts';
import {
  closeServer,
  drainServer,
  freePort,
  listenerOf,
  listenOnAllAddresses,
  listenOnLoopback,
} from '../src/host/servers.ts';
import { temporaryDirectory } from './fixture.ts';

describe('loopback server', () => {
  test('a request that never ends does not prevent the server from ending', async () => {
    const server = createServer(() => undefined);
    const outgoing = request(`http://${await listenOnLoopback(server)}`).end();
    const failed = once(outgoing, 'error');
    await once(server, 'request');
    await drainServer(server, 1);
    expect(await failed).toMatchObject([{ code: 'ECONNRESET' }]);
  });
});

describe('a program behind a proxy', () => {
  const program = `
    import { get } from 'node:http';
    import { bypassProxyOnLoopback } from '${join(import.meta.dirname, '../loopback.ts')}';
    bypassProxyOnLoopback();
    const byGet = (url) => new Promise((resolve) => get(url, ({ statusCode }) => resolve(statusCode)).on('error', resolve));
    const byFetch = (url) => fetch(url).then(({ status }) => status, () => 502);
    const statuses = [];
    for (const url of process.argv.slice(1)) statuses.push(await byGet(url), await byFetch(url));
    console.log(...statuses);
    process.exit();`;

  test.each([
    ['in capitals', (proxy: string) => ({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy })],
    ['in small letters', (proxy: string) => ({ http_proxy: proxy, https_proxy: proxy })],
    ['with exempt hosts of its own', (proxy: string) => ({ http_proxy: proxy, NO_PROXY: 'exempt.example localhost' })],
    ['with an empty list of exempt hosts', (proxy: string) => ({ http_proxy: proxy, no_proxy: '' })],
  ])('%s calls this machine directly, and other hosts through the proxy', async (_, variables) => {
    const asked: unknown[] = [];
    const proxy = createServer(({ url }, answer) => {
      asked.push(url);
      answer.writeHead(502).end();
    });
    proxy.on('connect', ({ url }, socket) => {
      asked.push(url);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    const direct = createServer((_, answer) => answer.writeHead(204).end());
    onTestFinished(async () => void (await Promise.all([proxy, direct].map(closeServer))));
    const proxyUrl = `http://${await listenOnLoopback(proxy)}`;
    const { port } = new URL(`http://${await listenOnLoopback(direct)}`);
    for (const option of [{ NODE_USE_ENV_PROXY: '1' }, { NODE_OPTIONS: '--use-env-proxy' }]) {
      const urls = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, 'http://other.invalid/'];
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program, ...urls], {
        env: { PATH: process.env.PATH, ...option, ...variables(proxyUrl) },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      expect(await text(child.stdout)).toBe('204 204 204 204 502 502\n');
      expect(asked.splice(0)).toEqual(['http://other.invalid/', 'other.invalid:80']);
    }
  });
});

describe('a server', () => {
  test.each([
    ['on loopback answers at 127.0.0.1 and at no other address', listenOnLoopback, false],
    ['on all addresses answers at others, too', listenOnAllAddresses, true],
  ])('%s', async (_, listen, answersElsewhere) => {
    const server = createServer((_, answer) => answer.end('well'));
    onTestFinished(() => closeServer(server));
    await listen(server, 0);
    const { port } = server.address() as AddressInfo;
    const answersAt = (address: string) => fetch(`http://${address}:${port}`).then(Boolean, () => false);
    expect([await answersAt('127.0.0.1'), await answersAt('127.0.0.2')]).toEqual([true, answersElsewhere]);
  });
});

describe('listener', () => {
  const fault = () => {
    throw new Error('a fault');
  };
  const faultLater = async () => {
    await undefined;
    fault();
  };

  test.each([
    ['at once', fault, undefined],
    ['later', faultLater, undefined],
    ['and whose refusal fails, too', fault, fault],
    ['and whose refusal fails later', faultLater, faultLater],
  ])('a request that fails %s loses its connection, and the next one is answered', async (_, serve, refuse) => {
    let count = 0;
    const listener = listenerOf((_, answer) => (count++ === 0 ? serve() : answer.end('well')), refuse);
    const server = createServer(listener);
    onTestFinished(() => closeServer(server));
    const url = `http://${await listenOnLoopback(server)}`;
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } });
    expect(await (await fetch(url)).text()).toBe('well');
  });

  test('a refusal may answer', async () => {
    const server = createServer(listenerOf(fault, (error, answer) => answer.writeHead(400).end(String(error))));
    onTestFinished(() => closeServer(server));
    const answer = await fetch(`http://${await listenOnLoopback(server)}`);
    expect([answer.status, await answer.text()]).toEqual([400, 'Error: a fault']);
  });
});

describe('free port', () => {
  test('is below Linux’s ephemeral ports, so that nothing else receives it before use', async () => {
    for (let count = 0; count < 20; count++) expect(await freePort()).toBeLessThan(32_768);
  });

  test('is another port if the preferred one is in use', async () => {
    const taken = await freePort();
    const server = createServer();
    await listenOnLoopback(server, taken);
    onTestFinished(() => void server.close());
    const free = await freePort(taken);
    expect(free).not.toBe(taken);
    expect(free).toBeGreaterThan(0);
  });
});

describe('whole file', () => {
  test('a file replaces another with its own mode, and leaves no temporary file', () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'demo.json');
    for (const place of [file, `${file}.new`]) writeFileSync(place, '{"companies":', { mode: 0o644 });
    replaceFile(file, '{"companies":[]}', 0o600);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readJsonIfWhole(file)).toEqual({ companies: [] });
    expect(readdirSync(directory)).toEqual(['demo.json']);
  });

  test('a file that cannot be replaced leaves no temporary file', () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'demo.json');
    mkdirSync(join(file, 'folder'), { recursive: true });
    expect(() => replaceFile(file, '{}')).toThrow(expect.objectContaining({ path: file }));
    expect(readdirSync(directory)).toEqual(['demo.json']);
  });

  test('a log that cannot be written is reported once, and writing to it does not throw', () => {
    const printed: string[] = [];
    const file = temporaryDirectory();
    const log = openLog(file, (sentence) => printed.push(sentence));
    log('a line');
    log('another one');
    expect(printed).toEqual([
      expect.stringMatching(/cannot be written \(EISDIR: .*\)\. The run goes on without it\.$/),
    ]);
  });

  test('a missing or incomplete file reads as undefined', () => {
    const file = join(temporaryDirectory(), 'demo.json');
    expect(readJsonIfWhole(file)).toBeUndefined();
    writeFileSync(file, '{"companies":');
    expect(readJsonIfWhole(file)).toBeUndefined();
  });
});

describe('directory lock', () => {
  describe('only one run uses a directory', () => {
    test('a second run fails with the process and port of the first, and what to do', () => {
      const directory = temporaryDirectory();
      const first = lockDirectory(directory);
      expect(() => lockDirectory(directory)).toThrow(
        `Another run has its files in ${directory}: process ${process.pid}, which is still starting. Stop that one, or choose another directory and port for this one.`,
      );
      first.announcePort(8443);
      expect(() => lockDirectory(directory)).toThrow(`process ${process.pid}, on port 8443. Stop that one`);
      first.release();
      lockDirectory(directory).release();
    });

    test('the record of a killed run is ignored, even if another process has its pid', () => {
      const directory = temporaryDirectory();
      writeFileSync(join(directory, 'run.json'), JSON.stringify({ pid: process.ppid, port: 8443 }));
      lockDirectory(directory).release();
      expect(existsSync(join(directory, 'run.json'))).toBe(false);
    });

    test('an unreadable record of the first run does not admit a second one', () => {
      const directory = temporaryDirectory();
      const first = lockDirectory(directory);
      onTestFinished(first.release);
      writeFileSync(join(directory, 'run.json'), '{"pid":1');
      expect(() => lockDirectory(directory)).toThrow(`Another run has its files in ${directory}: a process, which`);
    });

    test.each([
      ['text of another program', 'of another program'],
      ['zeros', '\0'.repeat(8192)],
      ['a truncated database', `SQLite format 3\0${'x'.repeat(100)}`],
    ])('the error for a lock that is %s names it, and its content stays', (_, content) => {
      const directory = temporaryDirectory();
      const file = join(directory, 'lock');
      writeFileSync(file, content);
      expect(() => lockDirectory(directory)).toThrow(
        new UserFacingError(
          `${file} is not the lock of a run (file is not a database). Delete it, or choose another directory.`,
          'directory',
        ),
      );
      expect(readFileSync(file, 'utf8')).toBe(content);
      rmSync(file);
      lockDirectory(directory).release();
    });

    test('until it ends: a process that is killed with SIGKILL releases it', async () => {
      const directory = temporaryDirectory();
      const child = spawn(process.execPath, ['--input-type=module', '--eval', holder(directory)]);
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child.stdout, 'data');
      expect(() => lockDirectory(directory)).toThrow(`process ${child.pid}, on port 8443.`);
      child.kill('SIGKILL');
      await once(child, 'close');
      expect(JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8'))).toEqual({ pid: child.pid, port: 8443 });
      lockDirectory(directory).release();
    });
  });

  describe('a folder that cannot be written is a one-sentence error', () => {
    test.each([
      ['a file', (place: string) => place],
      ['within a file', (place: string) => join(place, 'local')],
    ])('%s', (_, placeOf) => {
      const file = join(temporaryDirectory(), 'file');
      writeFileSync(file, '');
      expect(() => lockDirectory(placeOf(file))).toThrow(
        /^A run keeps its files in .*file.*, which is no folder that it may write to \(E.*\)\. Correct that, or choose/,
      );
    });
  });

  const holder = (directory: string) => `
  import { lockDirectory } from ${JSON.stringify(join(import.meta.dirname, '../src/host/files.ts'))};
  const lock = lockDirectory(${JSON.stringify(directory)});
  lock.announcePort(8443);
  console.log('locked');
  setInterval(() => lock, 1000);
`;
});

describe('certificate', () => {
  const nowMs = Date.parse('2026-05-01T00:00:00Z');
  const dayMs = 24 * 60 * 60 * 1000;

  describe('the certificate of the local run', async () => {
    const issued = await issueServerCertificate(nowMs);
    const ca = new X509Certificate(issued.ca);
    const server = new X509Certificate(issued.certificate);

    test('is signed by its authority; only the authority may sign', () => {
      expect([server.verify(ca.publicKey), server.checkIssued(ca), ca.ca, server.ca]).toEqual([
        true,
        true,
        true,
        false,
      ]);
    });

    test('is valid only for localhost and 127.0.0.1', () => {
      expect(server.checkHost('localhost', { subject: 'never' })).toBe('localhost');
      expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
      expect([server.checkHost('example.com'), server.checkIP('127.0.0.2')]).toEqual([undefined, undefined]);
    });

    test('belongs to its key and is valid for a year', () => {
      expect(server.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
      expect([server.validFromDate.getTime(), server.validToDate.getTime()]).toEqual([nowMs, nowMs + 365 * dayMs]);
    });
  });

  describe('it is kept while it is valid', () => {
    const read = (directory: string) => readFileSync(join(directory, 'ca.pem'), 'utf8');

    test('it is renewed when it is valid for less than a month', async () => {
      const directory = temporaryDirectory();
      await serverCertificateIn(directory, nowMs);
      const first = read(directory);
      await serverCertificateIn(directory, nowMs + 300 * dayMs);
      expect(read(directory)).toBe(first);
      await serverCertificateIn(directory, nowMs + 350 * dayMs);
      expect(read(directory)).not.toBe(first);
    });

    test.each(['ca.pem', 'server.pem', 'server-key.pem'])(
      'a new one if %s is incomplete, or belongs to another certificate',
      async (name) => {
        const [directory, other] = [temporaryDirectory(), temporaryDirectory()];
        await serverCertificateIn(other, nowMs);
        await serverCertificateIn(directory, nowMs);
        const file = join(directory, name);
        for (const content of [readFileSync(file).subarray(0, 40), '', readFileSync(join(other, name))]) {
          const before = read(directory);
          writeFileSync(file, content);
          const { cert, key } = await serverCertificateIn(directory, nowMs);
          const certificate = new X509Certificate(cert);
          expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
          expect(certificate.verify(new X509Certificate(read(directory)).publicKey)).toBe(true);
          expect(read(directory)).not.toBe(before);
        }
      },
    );

    test('only the owner can read the private key; the authority’s key is not stored', async () => {
      const directory = temporaryDirectory();
      const { key } = await serverCertificateIn(directory, nowMs);
      expect(statSync(join(directory, 'server-key.pem')).mode & 0o777).toBe(0o600);
      const authority = new X509Certificate(read(directory));
      expect(key).toContain('PRIVATE KEY');
      expect(authority.checkPrivateKey(createPrivateKey(key))).toBe(false);
    });
  });
});
