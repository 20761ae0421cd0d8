import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, inject } from 'vitest';
import { siteInputs } from '../../local/api-page.ts';
import { companyIn, type Demo } from '../../local/demo/demo-world.ts';
import { sourceFolders } from '../support/source-folders.ts';

export type MainRun = {
  readonly child: ChildProcess;
  readonly cwd: string;
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
};

type StartOptions = {
  readonly root?: string;
  readonly cwd?: string;
  /** Added to the environment of the run. */
  readonly environment?: NodeJS.ProcessEnv;
};

const runs: MainRun[] = [];
afterAll(async () => {
  for (const { child } of runs) child.kill();
  await Promise.all(runs.map(({ ended }) => ended));
});

export const temporaryDirectory = (): string => mkdtempSync(join(tmpdir(), 'run-'));

const parts = [
  ...sourceFolders,
  'cdk.json',
  'package.json',
  // The site counts as built only with all of its inputs.
  ...siteInputs.filter((path) => !path.includes('*')),
];

/** Copies this checkout with some built folders. The copy's `node_modules` is a link. */
export const copyCheckout = (built: readonly string[]): string => {
  const copy = temporaryDirectory();
  for (const name of [...parts, ...built]) cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
};

/** Runs `npm start` of a checkout in a separate working directory, so that no developer's `.local` is touched. */
export const startMain = (
  options: readonly string[],
  { root = resolve('.'), cwd = temporaryDirectory(), environment = {} }: StartOptions = {},
): MainRun => {
  const child = spawn(process.execPath, [join(root, 'local/main.ts'), ...options], {
    cwd,
    env: { ...process.env, ...environment },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.on('data', (text) => {
    output.stderr += text;
  });
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode, ...output }));
  const run = { child, cwd, output, ended };
  runs.push(run);
  return run;
};

/** The DynamoDB Local of all tests. Runs use the same tables in it, so only one run at a time may use it. */
export const sharedStore = () => ['--dynamodb-endpoint', inject('dynamoDbEndpoint')];

/** Waits for the introduction, which the run prints last. */
export const demoOf = async (run: MainRun): Promise<Demo> => {
  await untilPrinted(run, /^curl .*\n/m);
  return JSON.parse(readFileSync(join(run.cwd, '.local/demo.json'), 'utf8'));
};

/** Waits until the output of the run matches the pattern. */
export const untilPrinted = async ({ child, output, ended }: MainRun, pattern: RegExp): Promise<void> => {
  while (!pattern.test(output.stdout)) await Promise.race([once(child.stdout ?? child, 'data'), ended.then(failed)]);
};

const failed = ({ exitCode, stderr }: { exitCode: number; stderr: string }) => {
  throw new Error(`The run ended with ${exitCode}: ${stderr}`);
};

type Answer = { readonly status: number; readonly body: string };

type Call = { readonly method?: string; readonly headers?: readonly string[]; readonly body?: string };

/** Calls a path after the stage as the first company of a demo world. Retries if the service itself times out. */
const callAsFirst = async (
  demo: Demo,
  path: string,
  { method = 'GET', headers = [], body = '' }: Call = {},
): Promise<Answer> => {
  const { hostname, port, pathname } = new URL(demo.baseUrl);
  const { apiKey, userId } = companyIn(demo, 'acme');
  const keys = ['x-api-key', apiKey, 'x-user-id', userId];
  const ca = readFileSync(demo.caFile, 'utf8');
  for (;;) {
    const answer = await new Promise<Answer>((answered, reject) => {
      const outgoing = request({
        hostname,
        port,
        family: 4,
        method,
        path: pathname + path,
        agent: false,
        ca,
        headers: [
          'host',
          `${hostname}:${port}`,
          ...keys,
          ...headers,
          'content-length',
          String(Buffer.byteLength(body)),
        ],
      });
      outgoing.on('response', async (response) =>
        answered({ status: response.statusCode ?? 0, body: await text(response) }),
      );
      outgoing.on('error', reject).end(body);
    });
    if (answer.status !== 503) return answer;
  }
};

/**
 * Calls in the same way until the answer has the status, because on a slow machine the service itself may time out first.
 * Only the test's own timeout limits the retries.
 */
export const answerOf = async (demo: Demo, path: string, status: number, options: Call = {}): Promise<string> => {
  for (;;) {
    const answer = await callAsFirst(demo, path, options);
    if (answer.status === status) return answer.body;
    await wait(500);
  }
};
