import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { hasPython } from '../support/service.ts';

const guide = (chapter: string) => readFileSync(`partner/guide/${chapter}.md`, 'utf8');

/** A code block of a chapter in a language; the first one of the first chapter defines `call` and reads the contract. */
const blockOf = (chapter: string, language: string, index = 0): string =>
  [...guide(chapter).matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))][index]?.[1] ?? '';

/** The change for which the sample of the feed waits, and the variables that the sample knows. */
const changed = { roomSetpointCelsius: 22.5 };
const cursorIn = { ts: "let [heatingCircuit, cursor] = ['', ''];", python: 'heating_circuit = cursor = ""', sh: '' };

/** The line of the chapter on rate limits that makes curl retry automatically, for the `call` of the first chapter. */
const curlThatWaits = (): string => {
  const options = /^api (--retry \d+) /m.exec(guide('rate-limits'))?.[1];
  return `curl --silent ${options} --write-out '%{http_code}' --output /dev/null "$BASE_URL/contract"`;
};

const directory = mkdtempSync(join(tmpdir(), 'guide-call-'));
const programs = (
  [
    {
      language: 'ts',
      command: process.execPath,
      file: 'call.mts',
      program: blockOf('first-call', 'ts'),
      isThere: true,
    },
    {
      language: 'python',
      command: 'python3',
      file: 'call.py',
      program: blockOf('first-call', 'python'),
      isThere: hasPython,
    },
    { language: 'sh', command: 'sh', file: 'call.sh', program: curlThatWaits(), isThere: true },
  ] as const
).filter(({ isThere }) => isThere);
for (const { file, program } of programs) writeFileSync(join(directory, file), program);

const closings: (() => void)[] = [];
afterAll(() => {
  for (const close of closings) close();
});

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** A server with scripted answers, and the environment that a program needs to call it. */
const openServer = async (answer: Answer) => {
  let count = 0;
  const server = createServer((request, response) => answer(request, response, ++count)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const env = { PATH: process.env.PATH, BASE_URL: `http://127.0.0.1:${port}`, API_KEY: 'a-key' };
  return { env, requests: () => count };
};

const contract: Answer = (_, response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"userId":"owner-4711"}');

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

const refusals: Readonly<Record<string, readonly [number, Record<string, string>]>> = {
  'a 429 until a date in a minute': [429, { 'retry-after': inSeconds(60) }],
  'a 429 without Retry-After': [429, {}],
  'a 429 until a date that has passed': [429, { 'retry-after': inSeconds(-3600) }],
  'a 429 for no time at all': [429, { 'retry-after': '0' }],
  'a 429 for a negative time': [429, { 'retry-after': '-5' }],
  'a 429 until soon': [429, { 'retry-after': 'soon' }],
  'a 429 for longer than a timer takes': [429, { 'retry-after': '9999999999' }],
  'a 503 without Retry-After': [503, {}],
  'a 502': [502, { 'content-type': 'text/html' }],
  'a 504': [504, {}],
};

const obstacles: Readonly<Record<string, readonly [number, (() => string)?]>> = {
  'a 429 of the service': [429, () => '1'],
  'a 429 with decimals': [429, () => '0.5'],
  'a 429 until a date': [429, () => inSeconds(2)],
  'a 429 without Retry-After': [429],
  'a 502': [502],
  'a 503': [503, () => '1'],
  'a 504': [504],
};

/** Runs all rows of a table concurrently, because each waits for seconds. */
const forEach = async <Row, Result>(table: Readonly<Record<string, Row>>, act: (row: Row) => Promise<Result>) =>
  Object.fromEntries(
    await Promise.all(Object.entries(table).map(async ([name, row]) => [name, await act(row)] as const)),
  );

describe.concurrent.each(programs)('the call of the guide in $language', ({ language, command, file, program }) => {
  test('sends fewer than 8 requests in 3 seconds to a server that refuses, whatever the refusal', async () => {
    const sent = await forEach(refusals, async ([status, headers]) => {
      const { env, requests } = await openServer((_, response) => response.writeHead(status, headers).end());
      const child = spawn(command, [join(directory, file)], { env, stdio: 'ignore' });
      // Counts from the first request, because a program may start slowly.
      while (requests() === 0) await pause(20);
      await pause(3000);
      const isWaiting = child.kill();
      return { isWaiting, isStorm: requests() >= 8 };
    });
    expect(sent).toEqual(await forEach(refusals, async () => ({ isWaiting: true, isStorm: false })));
  });

  test.skipIf(file === 'call.sh')('ends with the problem of a refusal', async () => {
    const { env } = await openServer((_, response) => response.writeHead(403).end('{"code":"company-suspended"}'));
    await expect(promisify(execFile)(command, [join(directory, file)], { env })).rejects.toThrow(
      'GET /contract: 403 {"code":"company-suspended"}',
    );
  });

  test.skipIf(file === 'call.sh')(
    'reads a feed with events of other kinds, and of a circuit that was removed',
    async () => {
      const event = (type: string, data: object) => ({ type, data });
      const events = [event('gateway.added', {}), event('circuit.changed', {}), event('circuit.changed', changed)];
      const page = { userId: 'owner-4711', items: events, nextCursor: 'c', hasMore: true };
      const { env } = await openServer((_, response) => response.end(JSON.stringify(page)));
      const reader = join(directory, `feed-${file}`);
      writeFileSync(reader, [program, cursorIn[language], blockOf('events', language, 1)].join('\n'));
      const { stdout } = await promisify(execFile)(command, [reader], { env });
      expect(stdout).toMatch(/seen\n$/);
    },
  );

  test('retries after each obstacle and returns the answer', async () => {
    const outcomes = await forEach(obstacles, async ([status, retryAfter]) => {
      const { env, requests } = await openServer((request, response, count) => {
        if (count > 1) return contract(request, response, count);
        return response.writeHead(status, retryAfter && { 'retry-after': retryAfter() }).end();
      });
      const { stdout } = await promisify(execFile)(command, [join(directory, file)], { env });
      return `${stdout.slice(0, 3)} after ${requests()} requests`;
    });
    expect(outcomes).toEqual(await forEach(obstacles, async () => '200 after 2 requests'));
  });
});
