import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Demo } from '../../local/demo/demo-file.ts';
import { campaign, provenTest } from '../support/campaign.ts';
import { temporaryDirectory } from './aws/fixture.ts';
import { answerOf, callAsFirst, demoOf, type MainRun, sharedStore, startMain, untilPrinted } from './main-run.ts';

describe('what stands in the way is one sentence, and no stack trace', () => {
  provenTest.each([
    ['an unknown option', ['--prot', '1'], /^Unknown option '--prot'\. Known are .*\.\n$/],
    ['nothing at the endpoint', ['--dynamodb-endpoint', 'http://127.0.0.1:9'], /^Nothing answers on http:.*\.\n$/],
  ])('%s', campaign, async (_, options, sentence) => {
    const { exitCode, stdout, stderr } = await startMain(options).ended;
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(sentence);
  });

  test('no Java', async () => {
    const withoutJava = temporaryDirectory();
    symlinkSync(process.execPath, join(withoutJava, 'node'));
    const { exitCode, stderr } = await startMain(['--port', '0'], { PATH: withoutJava }).ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^DynamoDB Local needs Java 17 or newer, .* Install it: .*\n$/);
  });

  provenTest('an old Java', campaign, async () => {
    const { exitCode, stderr } = await startMain(['--port', '0'], { PATH: directoryWithOldJava() }).ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^DynamoDB Local needs Java 17 or newer, .*\n$/);
  });

  provenTest('a port that is taken', campaign, async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const { exitCode, stderr } = await startMain(['--port', String(port), ...sharedStore()]).ended;
    holder.close();
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(new RegExp(`^Port ${port} is in use\\. Choose another .*\\n$`));
  });
});

describe('a run', () => {
  test('prints a curl line that works when pasted, then a line per request, and no other secret', async () => {
    const run = startMain(['--port', '0', ...sharedStore()]);
    const demo = await demoOf(run);
    const curl = run.output.stdout.split('\n').find((line) => line.startsWith('curl '));
    const paste = () => JSON.parse(execFileSync('bash', ['-c', `${curl} --silent`], { encoding: 'utf8' }));
    let contract = paste();
    // The machine may be too slow for the service's time-outs.
    while (contract.status === 503) contract = paste();
    expect(contract).toMatchObject({ companyId: 'acme' });
    await untilPrinted(run, /^\d\d:\d\d:\d\d 127\.0\.0\.1 GET \/v1\/contract 200 \d+ ms$/m);
    expect(run.output.stdout.split(`${demo.companies[0]?.apiKey}`)).toHaveLength(2);
    expect(statSync(join(run.cwd, '.local/demo.json')).mode & 0o777).toBe(0o600);
    await expectNoChildLeftBehind(run, 'SIGTERM');
  });

  provenTest('with a store of its own leaves no child behind', campaign, async () => {
    const run = startMain(['--port', '0']);
    const demo = await demoOf(run);
    await Promise.all(['/contract', '/api-keys', '/api-keys/me'].map((path) => callAsFirst(demo, path)));
    await expectNoChildLeftBehind(run, 'SIGINT', 4);
  });

  provenTest(
    '--keep keeps keys and what became of them, appliances and what was desired of them',
    campaign,
    async () => {
      const first = startMain(['--port', '0', '--keep']);
      const before = await demoOf(first);
      const body = JSON.stringify({ roomSetpointCelsius: 23.5 });
      const changed = JSON.parse(await answerOfCircuit(before, 202, { method: 'PATCH', body }));
      first.child.kill('SIGTERM');
      await first.ended;
      const second = startMain(['--port', '0', '--keep'], { cwd: first.cwd });
      const after = await demoOf(second);
      expect(after.companies).toEqual(before.companies);
      const kept = JSON.parse(await answerOfCircuit(after, 200));
      expect(kept).toMatchObject({ roomSetpointCelsius: 23.5, version: changed.version });
      second.child.kill('SIGTERM');
      await second.ended;
    },
  );
});

/** Calls for the first heating circuit of the first company, with its key of that run, until the answer has the status. */
const answerOfCircuit = (demo: Demo, status: number, options: Parameters<typeof answerOf>[3] = {}) => {
  const [gateway] = demo.companies[0]?.gateways ?? [];
  const headers = ['content-type', 'application/json'];
  return answerOf(demo, `/hvacs/${gateway?.gatewayId}/heatingCircuits/hc1`, status, { ...options, headers });
};

const expectNoChildLeftBehind = async (run: MainRun, signal: NodeJS.Signals, fewestChildren = 1): Promise<void> => {
  const children = childrenOf(run.child.pid as number);
  expect(children.length).toBeGreaterThanOrEqual(fewestChildren);
  run.child.kill(signal);
  expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
  expect(children.filter(isRunning)).toEqual([]);
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
