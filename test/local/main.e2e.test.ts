import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import type { Demo } from '../../local/service.ts';
import { call, temporaryDirectory } from './aws/fixture.ts';

const main = resolve('local/main.ts');
const runs: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = [];
afterAll(async () => {
  for (const { child } of runs) child.kill();
  await Promise.all(runs.map(({ ended }) => ended));
});

/** `npm start` in a working directory of its own, so that nobody's `.local` is touched. */
const start = (options: readonly string[], { cwd = temporaryDirectory(), PATH = process.env.PATH } = {}) => {
  const child = spawn(process.execPath, [main, ...options], { cwd, env: { ...process.env, PATH } });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.on('data', (text) => {
    output.stderr += text;
  });
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode, ...output }));
  runs.push({ child, ended });
  return { child, cwd, output, ended };
};

const sharedStore = () => ['--dynamodb-endpoint', inject('dynamoDbEndpoint')];

describe('what stands in the way is one sentence, and no stack trace', () => {
  test.each([
    ['an unknown option', ['--prot', '1'], /^Unknown option '--prot'\. Known are .*\.\n$/],
    ['an argument', ['8443'], /^Unexpected argument '8443'\. Known are .*\.\n$/],
    ['no port', ['--port', '65536'], /^--port 65536 is no port; write a number from 0 .* to 65535\.\n$/],
    ['what excludes each other', ['--keep', '--empty'], /^--empty and --keep exclude each other: .*\.\n$/],
    ['no endpoint', ['--dynamodb-endpoint', 'x'], /^--dynamodb-endpoint x is none; write one like .*\.\n$/],
    ['nothing at the endpoint', ['--dynamodb-endpoint', 'http://127.0.0.1:9'], /^Nothing answers on http:.*\.\n$/],
  ])('%s', async (_, options, sentence) => {
    const { exitCode, stdout, stderr } = await start(options).ended;
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(sentence);
  });

  test('no Java', async () => {
    const withoutJava = temporaryDirectory();
    symlinkSync(process.execPath, join(withoutJava, 'node'));
    const { exitCode, stderr } = await start(['--port', '0'], { PATH: withoutJava }).ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^DynamoDB Local needs Java 17 or newer, .* Install it: .*\n$/);
  });

  test('an old Java', async () => {
    const { exitCode, stderr } = await start(['--port', '0'], { PATH: directoryWithOldJava() }).ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^DynamoDB Local needs Java 17 or newer, .*\n$/);
  });

  test('a port that is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const { exitCode, stderr } = await start(['--port', String(port), ...sharedStore()]).ended;
    holder.close();
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(new RegExp(`^Port ${port} is in use\\. Choose another .*\\n$`));
  });
});

describe('a run', () => {
  test('prints a curl line that works when pasted, then a line per request, and no other secret', async () => {
    const run = start(['--port', '0', ...sharedStore()]);
    const demo = await demoOf(run);
    const curl = run.output.stdout.split('\n').find((line) => line.startsWith('curl '));
    expect(JSON.parse(execFileSync('bash', ['-c', `${curl} --silent`], { encoding: 'utf8' }))).toMatchObject({
      companyId: 'acme',
    });
    await untilPrinted(run, /^\d\d:\d\d:\d\d 127\.0\.0\.1 GET \/v1\/contract 200 \d+ ms$/m);
    expect(run.output.stdout.split(demo.companies[0].apiKey)).toHaveLength(2);
    expect(statSync(join(run.cwd, '.local/demo.json')).mode & 0o777).toBe(0o600);
    run.child.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s leaves no child behind', async (signal) => {
    const run = start(['--port', '0']);
    const { baseUrl, caFile, companies } = await demoOf(run);
    const headers = ['x-api-key', companies[0].apiKey];
    const ca = readFileSync(caFile, 'utf8');
    const paths = ['/v1/contract', '/v1/api-keys', '/v1/api-keys/me'];
    await Promise.all(paths.map((path) => call(baseUrl.replace('localhost', '127.0.0.1'), path, { ca, headers })));
    const children = childrenOf(run.child.pid as number);
    expect(children.length).toBeGreaterThanOrEqual(4);
    run.child.kill(signal);
    expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(children.filter(isRunning)).toEqual([]);
  });

  test('--keep keeps keys and what became of them, appliances and what was desired of them', async () => {
    const first = start(['--port', '0', '--keep']);
    const before = await demoOf(first);
    const body = JSON.stringify({ roomSetpointCelsius: 23.5 });
    expect((await callCircuit(before, { method: 'PATCH', body })).status).toBe(202);
    first.child.kill('SIGTERM');
    await first.ended;
    const second = start(['--port', '0', '--keep'], { cwd: first.cwd });
    const after = await demoOf(second);
    expect(after.companies).toEqual(before.companies);
    const circuit = await callCircuit(after);
    expect(circuit.status).toBe(200);
    expect(JSON.parse(circuit.body)).toMatchObject({ roomSetpointCelsius: 23.5, version: 2 });
    second.child.kill('SIGTERM');
    await second.ended;
  });
});

/** Calls for the first heating circuit of the first company, with its key of that run. */
const callCircuit = ({ baseUrl, caFile, companies: [company] }: Demo, options: Parameters<typeof call>[2] = {}) => {
  const [gateway] = company?.gateways ?? [];
  const headers = ['x-api-key', `${company?.apiKey}`, 'x-user-id', `${company?.userId}`];
  return call(baseUrl.replace('localhost', '127.0.0.1'), `/v1/hvacs/${gateway?.gatewayId}/heatingCircuits/hc1`, {
    ...options,
    ca: readFileSync(caFile, 'utf8'),
    headers: [...headers, 'content-type', 'application/json'],
  });
};

/** Waits for the introduction, which comes last. */
const demoOf = async (run: ReturnType<typeof start>) => {
  await untilPrinted(run, /^curl .*\n/m);
  return JSON.parse(readFileSync(join(run.cwd, '.local/demo.json'), 'utf8'));
};

const untilPrinted = async ({ child, output, ended }: ReturnType<typeof start>, pattern: RegExp) => {
  while (!pattern.test(output.stdout)) await Promise.race([once(child.stdout, 'data'), ended.then(failed)]);
};

const failed = ({ exitCode, stderr }: { exitCode: number; stderr: string }) => {
  throw new Error(`The run ended with ${exitCode}: ${stderr}`);
};

const childrenOf = (parent: number): number[] =>
  processes().flatMap(([pid, parentPid]) => (parentPid === parent && pid !== undefined ? [pid] : []));

/** Process id and parent's of all processes; bare Linux machines have no `ps`, others no `/proc`. */
const processes = (): number[][] => {
  if (!existsSync('/proc/self/stat'))
    return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
  return globSync('/proc/[0-9]*/stat').map((file) => {
    const [, pid, parentPid] = /^(\d+) \(.*\) \S (\d+)/s.exec(readIfThere(file)) ?? [];
    return [Number(pid), Number(parentPid)];
  });
};

const readIfThere = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Stands in for a Java that is too old to load the classes of DynamoDB Local. */
const directoryWithOldJava = (): string => {
  const directory = temporaryDirectory();
  symlinkSync(process.execPath, join(directory, 'node'));
  const message = 'Error: java.lang.UnsupportedClassVersionError: com/amazonaws/Main: class file version 61.0';
  writeFileSync(join(directory, 'java'), `#!/bin/sh\necho '${message}' >&2\nexit 1\n`, { mode: 0o755 });
  return directory;
};
