import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startDynamoDbLocal } from '../src/dynamodb/dynamodb-local.ts';
import { cachedJava } from '../src/dynamodb/java.ts';
import { freePort } from '../src/host/servers.ts';
import { temporaryDirectory } from './fixture.ts';

const announced: string[] = [];
const announce = (line: string) => announced.push(line);
let cache = '';

beforeEach(() => {
  announced.length = 0;
  cache = temporaryDirectory();
  vi.stubEnv('XDG_CACHE_HOME', cache);
});
afterEach(() => vi.unstubAllEnvs());

describe('without Java on the PATH', () => {
  test.each(['none', 'an old one'])('(%s), a Java is downloaded once, and DynamoDB Local runs on it', async (found) => {
    const archive = await archiveWithJava();
    const source = await sourceOf({ archive });
    hideJava(found === 'an old one');
    for (const _ of ['first', 'second']) {
      const { endpoint, stop } = await startDynamoDbLocal({ javaSource: source.url, announce });
      expect((await fetch(endpoint)).status).toBe(400);
      await stop();
    }
    expect(source.requests).toEqual([
      expect.stringMatching(
        /^\/v3\/assets\/latest\/21\/hotspot\?os=\w+&architecture=\w+&image_type=jre&vendor=eclipse$/,
      ),
      '/runtime.tar.gz',
    ]);
    expect(announced).toEqual([expect.stringContaining(`into ${join(cache, 'serve-stack')}, once`)]);
    expect(readdirSync(join(cache, 'serve-stack'))).toEqual(['java-21']);
  });

  test('two concurrent runs both find it', async () => {
    const { url } = await sourceOf({ archive: await archiveWithJava() });
    const found = await Promise.all([1, 2].map(() => cachedJava({ javaSource: url })));
    expect(new Set(found).size).toBe(1);
    expect(existsSync(found[0] ?? '')).toBe(true);
    expect(readdirSync(join(cache, 'serve-stack'))).toEqual(['java-21']);
  });

  test.each<[string, Played | 'no network' | 'nothing', RegExp]>([
    ['a source that fails', { status: 503 }, /failed \(http:\S+ answers 503\)/],
    ['a source that names no runtime', { releases: [] }, /failed \(it names no runtime with a checksum\)/],
    [
      'a wrong checksum',
      { archive: Buffer.from('other'), checksum: 'abc' },
      /another checksum than the abc it should have/,
    ],
    ['an interrupted download', { archive: Buffer.from('half'), isCutOff: true }, /failed \(.+\)/],
    ['an invalid archive', { archive: Buffer.from('no archive') }, /failed \(.*tar: .*\)/],
    ['no network', 'no network', /failed \(.*ECONNREFUSED.*\)/],
    ['the source `none`', 'nothing', /Fetching one is switched off\. Install it/],
  ])('%s is an error that says what to do, and leaves nothing behind', async (_, played, reason) => {
    const source = { 'no network': `http://127.0.0.1:${await freePort()}`, nothing: 'none' }[played as string];
    hideJava();
    const starting = startDynamoDbLocal({ javaSource: source ?? (await sourceOf(played as Played)).url });
    const message = await starting.then(String, (error: Error) => error.message);
    expect(message).toMatch(/^DynamoDB Local needs Java 17 or newer, .* Install it: .*\.$/);
    expect(message).toMatch(reason);
    expect(existsSync(join(cache, 'serve-stack')) ? readdirSync(join(cache, 'serve-stack')) : []).toEqual([]);
  });
});

test('a Java on the PATH is used, and nothing is downloaded', async () => {
  const source = await sourceOf({ status: 503 });
  // The first directory on the PATH.
  const directory = temporaryDirectory();
  writeJava(join(directory, 'java'), await usableJava());
  vi.stubEnv('PATH', `${directory}:${process.env.PATH}`);
  const { stop } = await startDynamoDbLocal({ javaSource: source.url, announce });
  await stop();
  expect([source.requests, announced]).toEqual([[], []]);
});

test('a DynamoDB Local that never answers is stopped, and the error says how long it was awaited', async () => {
  const directory = temporaryDirectory();
  const listen = `require('node:net').createServer(() => {}).listen(process.argv[process.argv.indexOf('-port') + 1])`;
  writeFileSync(
    join(directory, 'java'),
    `#!/bin/sh\nexec '${process.execPath}' --eval "${listen}; setTimeout(() => process.exit(3), 60000)" -- "$@"\n`,
    { mode: 0o755 },
  );
  vi.stubEnv('PATH', `${directory}:${process.env.PATH}`);
  const startMs = Date.now();
  vi.spyOn(Date, 'now').mockReturnValueOnce(startMs - 120_000);
  await expect(startDynamoDbLocal()).rejects.toThrow(/^DynamoDB Local did not answer on \S+ within 120 s\.$/);
  expect(Date.now() - startMs).toBeLessThan(50_000);
});

/** The answers of a faulty source. */
type Played = {
  readonly status?: number;
  readonly releases?: readonly object[];
  readonly archive?: Buffer;
  readonly checksum?: string;
  readonly isCutOff?: boolean;
};

const sourceOf = async ({ status = 200, archive = Buffer.of(), isCutOff = false, ...played }: Played) => {
  const requests: string[] = [];
  const answer: RequestListener = ({ url = '', headers }, response) => {
    requests.push(url);
    const checksum = played.checksum ?? createHash('sha256').update(archive).digest('hex');
    const link = `http://${headers.host}/runtime.tar.gz`;
    response.statusCode = status;
    if (url.startsWith('/v3/'))
      response.end(JSON.stringify(played.releases ?? [{ binary: { package: { link, checksum } } }]));
    else if (isCutOff) {
      response.setHeader('content-length', archive.length + 1);
      response.write(archive, () => response.destroy());
    } else response.end(archive);
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
};

/** Reduces the PATH to what a start needs, without Java or with a Java that is too old for DynamoDB Local. */
const hideJava = (hasOldOne = false): void => {
  const directory = temporaryDirectory();
  for (const program of ['sh', 'tar', 'gzip'])
    symlinkSync(execFileSync('which', [program], { encoding: 'utf8' }).trim(), join(directory, program));
  const message = 'Error: java.lang.UnsupportedClassVersionError: com/amazonaws/Main: class file version 61.0';
  if (hasOldOne) writeFileSync(join(directory, 'java'), `#!/bin/sh\necho '${message}' >&2\nexit 1\n`, { mode: 0o755 });
  vi.stubEnv('PATH', directory);
};

/** Returns an archive with the layout of Adoptium's, whose `java` is this machine's. */
const archiveWithJava = async (): Promise<Buffer> => {
  const directory = temporaryDirectory();
  const inside = process.platform === 'darwin' ? 'jdk-21-jre/Contents/Home/bin' : 'jdk-21-jre/bin';
  mkdirSync(join(directory, inside), { recursive: true });
  writeJava(join(directory, inside, 'java'), await usableJava());
  const file = join(directory, 'runtime.tar.gz');
  execFileSync('tar', ['-czf', file, '-C', directory, 'jdk-21-jre']);
  return readFileSync(file);
};

const writeJava = (file: string, java: string): void =>
  writeFileSync(file, `#!/bin/sh\nexec '${java}' "$@"\n`, { mode: 0o755 });

/** Returns the Java that this machine's tests use. */
const usableJava = async (): Promise<string> => {
  try {
    return execFileSync('which', ['java'], { encoding: 'utf8' }).trim();
  } catch {
    vi.stubEnv('XDG_CACHE_HOME', undefined);
    const java = await cachedJava();
    vi.stubEnv('XDG_CACHE_HOME', cache);
    return java;
  }
};
