import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { companyIn, type Demo } from '../../local/demo/demo-world.ts';
import { proven } from '../support/campaign.ts';
import { childrenOf, isRunning } from '../support/processes.ts';
import {
  answerOf,
  demoOf,
  type MainRun,
  sharedStore,
  startMain,
  temporaryDirectory,
  untilPrinted,
} from './main-run.ts';

describe('an obstacle is reported in one sentence without a stack trace:', () => {
  test.each([
    ['an unknown option', ['--prot', '1'], /^Unknown option '--prot'\. Options: .*\.\n$/],
    [
      'nothing at the endpoint',
      ['--port', '0', '--dynamodb-endpoint', 'http://127.0.0.1:9'],
      /^Nothing answers on http:.*\.\n$/,
    ],
  ])('%s', proven, async (_, options, sentence) => {
    const { exitCode, stdout, stderr } = await startMain(options).ended;
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(sentence);
  });

  test('no Java and no download', async () => {
    const withoutJava = temporaryDirectory();
    symlinkSync(process.execPath, join(withoutJava, 'node'));
    const { exitCode, stderr } = await startMain(['--port', '0', '--no-download'], {
      environment: { PATH: withoutJava },
    }).ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^DynamoDB Local needs Java 17 or newer, .* Install it: .*\n$/);
  });

  test('a folder that cannot be written', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, '.local'), '');
    const { exitCode, stderr } = await startMain(['--port', '0'], { cwd }).ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^A run keeps its files in .*: npm start -- --directory \/(?!.*\.local).* --port 9443\n$/);
  });

  test('a port that is taken', proven, async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const { exitCode, stderr } = await startMain(['--port', String(port), ...sharedStore()]).ended;
    holder.close();
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(new RegExp(`^Port ${port} is in use\\. Choose another .*\\n$`));
  });
});

test('--help prints the options and ends', async () => {
  const { exitCode, stdout, stderr } = await startMain(['--help']).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: npm start -- \[options\]\n[\s\S]*\n {2}--port <number> +the port/);
});

describe('a run', () => {
  test('prints a curl line that works when pasted, then one line per request, and no other secret', async () => {
    const run = startMain(['--port', '0', ...sharedStore()], { environment: behindProxy });
    const demo = await demoOf(run);
    // A slow machine also prints signs of life.
    const steps = run.output.stdout.split('\n\n')[0]?.replaceAll(/\n.*: \d+ s so far/g, '');
    expect(steps?.replaceAll(/\d+/g, '…')).toBe(documentedStart());
    const curl = run.output.stdout.split('\n').find((line) => line.startsWith('curl '));
    const paste = () => JSON.parse(runBehindProxy('bash', '-c', `${curl} --silent`));
    let contract = paste();
    // The machine may be too slow for the service's timeouts.
    while (contract.status === 503) contract = paste();
    expect(contract).toMatchObject({ companyId: 'acme' });
    await untilPrinted(run, /^\d\d:\d\d:\d\d 127\.0\.0\.1 GET \/v1\/contract 200 \d+ ms$/m);
    expect(run.output.stdout.split(`${demo.companies[0]?.apiKey}`)).toHaveLength(2);
    expect(statSync(join(run.cwd, '.local/demo.json')).mode & 0o777).toBe(0o600);
    const directory = ['--directory', join(run.cwd, '.local')];
    const listed = runBehindProxy(process.execPath, 'operator/main.ts', 'company', 'list', '--local', ...directory);
    expect(listed).toContain('acme');
    const controlled = runBehindProxy(process.execPath, 'local/controls/main.ts', 'fault', 'gw-1001', ...directory);
    expect(controlled).toContain('The appliance of gw-1001 has the fault');
    // As if its reader had ended: the run goes on without output.
    run.child.stdout?.destroy();
    await answerOf(demo, '/contract', 200);
    await expectNoChildLeftBehind(run, 'SIGTERM');
  });

  test('refuses a second run in its folder at once, before it touches files', proven, async () => {
    const first = startMain(['--port', '0', '--without-fleet', ...sharedStore()]);
    const demo = await demoOf(first);
    await answerOf(demo, '/contract', 200);
    const file = (name: string) => readFileSync(join(first.cwd, '.local', name), 'utf8');
    const evidence = ['demo.json', 'operator.json', 'receiver-ca.pem', 'logs/PartnerApi-local-getContract.log'];
    const before = evidence.map(file);
    const { exitCode, stdout, stderr } = await startMain(['--port', '0'], { cwd: first.cwd }).ended;
    const { port } = new URL(demo.baseUrl);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      new RegExp(
        `^Another run has .*: process ${first.child.pid}, on port ${port}\\. Stop .*: npm start -- --dir.*\\n$`,
      ),
    );
    expect(evidence.map(file)).toEqual(before);
    const second = startMain(['--port', '0', '--without-fleet', '--directory', '.local/second'], { cwd: first.cwd });
    await untilPrinted(second, /^curl .*\n/m);
    second.child.kill('SIGTERM');
    await second.ended;
    expect(evidence.map(file)).toEqual(before);
    await answerOf(demo, '/contract', 200);
  });

  test('with --keep keeps its data, however it ends, and leaves no process behind', proven, async () => {
    const options = ['--port', '0', '--keep', '--without-fleet'];
    const first = startMain(options);
    const demo = await demoOf(first);
    const { keyId } = JSON.parse(await answerOf(demo, '/api-keys', 201, { method: 'POST' }));
    const body = JSON.stringify({ roomSetpointCelsius: 23.5 });
    const { version } = JSON.parse(await answerOfCircuit(demo, 202, { method: 'PATCH', body }));
    const runAgain = async () => {
      const run = startMain(options, { cwd: first.cwd });
      const kept = await demoOf(run);
      expect(kept.companies).toEqual(demo.companies);
      expect(await answerOf(kept, '/api-keys', 200)).toContain(keyId);
      expect(JSON.parse(await answerOfCircuit(kept, 200))).toMatchObject({ roomSetpointCelsius: 23.5, version });
      return run;
    };

    process.kill(storeOf(first), 'SIGKILL');
    const { exitCode, stderr } = await first.ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^DynamoDB Local ended by SIGKILL\. All that was written is in .*\. The run ends, .*\n$/);
    expect(existsSync(join(first.cwd, '.local/operator.json'))).toBe(false);

    const second = await runAgain();
    const store = storeOf(second);
    second.child.kill('SIGKILL');
    await second.ended;
    while (isRunning(store)) await wait(20);

    // The store, and the two functions that were called.
    await expectNoChildLeftBehind(await runAgain(), 'SIGINT', 3);
  });

  test('that is stopped while it starts ends at once without output', proven, async () => {
    const run = startMain(['--port', '0']);
    await untilPrinted(run, /^Starting DynamoDB Local$/m);
    const store = storeOf(run);
    run.child.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(isRunning(store)).toBe(false);
  });
});

/** The environment of a machine whose proxy cannot reach it, as no proxy can. */
const behindProxy = Object.fromEntries([
  ['NODE_USE_ENV_PROXY', '1'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, 'http://127.0.0.1:9']),
  ...['NO_PROXY', 'no_proxy'].map((name) => [name, '']),
]);

const runBehindProxy = (program: string, ...options: string[]): string =>
  execFileSync(program, options, { encoding: 'utf8', env: { ...process.env, ...behindProxy } });

/** Reads the first heating circuit of the first company, with the run's key, until the answer has the status. */
const answerOfCircuit = (demo: Demo, status: number, options: Parameters<typeof answerOf>[3] = {}) => {
  const [gateway] = companyIn(demo, 'acme').gateways;
  const headers = ['content-type', 'application/json'];
  return answerOf(demo, `/hvacs/${gateway?.gatewayId}/heatingCircuits/hc1`, status, { ...options, headers });
};

/** The output in docs/local-run.md without the lines that a run with a synthesized stack and an existing store omits. */
const documentedStart = (): string => {
  const [, shown = ''] = /\n\n```\n(.*?)\n```/s.exec(readFileSync('docs/local-run.md', 'utf8')) ?? [];
  return shown.replace(/^Starting.*\nSynthesizing.*\n/, '').split('\n\n')[0] ?? '';
};

const storeOf = ({ child }: MainRun): number => childrenOf(child.pid as number, 'java')[0] as number;

const expectNoChildLeftBehind = async (run: MainRun, signal: NodeJS.Signals, fewestChildren = 1): Promise<void> => {
  const children = childrenOf(run.child.pid as number);
  expect(children.length).toBeGreaterThanOrEqual(fewestChildren);
  run.child.kill(signal);
  expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
  expect(children.filter(isRunning)).toEqual([]);
};
