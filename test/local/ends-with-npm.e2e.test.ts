import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { proven } from '../support/campaign.ts';
import { descendantsOf, isRunning, killIfRunning } from '../support/processes.ts';
import { temporaryDirectory } from './main-run.ts';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of started.splice(0)) descendantsOf(pid as number).forEach(killIfRunning);
});

/** Runs an npm script of this checkout. Resolves when it has printed the text. */
const startByNpm = async (script: string, options: readonly string[], text: string): Promise<ChildProcess> => {
  const child = spawn('npm', ['run', script, '--', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  started.push(child);
  let output = '';
  while (!output.includes(text)) output += (await once(child.stdout as NodeJS.ReadableStream, 'data'))[0];
  return child;
};

const untilEnded = async (pids: readonly number[]): Promise<void> => {
  while (pids.some(isRunning)) await wait(50);
};

/** Sends the signal only to npm and waits until all processes that npm has started have ended. */
const expectNothingLeft = async (npm: ChildProcess, signal: NodeJS.Signals, fewest: number): Promise<void> => {
  let descendants: number[] = [];
  while (descendants.length < fewest) {
    await wait(20);
    descendants = descendantsOf(npm.pid as number);
  }
  npm.kill(signal);
  await untilEnded(descendants);
};

describe('a run ends with npm, even if only npm gets the signal', () => {
  const start = async (text: string) => {
    const directory = temporaryDirectory();
    return {
      directory,
      npm: await startByNpm('start', ['--port', '0', '--without-fleet', '--directory', directory], text),
    };
  };

  /** The run itself, its store, a function. */
  const fewestProcesses = 3;

  const expectOrderlyEnd = async (signal: NodeJS.Signals) => {
    const { directory, npm } = await start('curl ');
    await expectNothingLeft(npm, signal, fewestProcesses);
    // The run has closed its resources.
    expect(existsSync(join(directory, 'operator.json'))).toBe(false);
  };

  test('SIGKILL', () => expectOrderlyEnd('SIGKILL'));

  test('SIGTERM', proven, () => expectOrderlyEnd('SIGTERM'));

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGKILL'] as const)('%s while it starts', proven, async (signal) => {
    const { npm } = await start('Starting DynamoDB Local');
    await expectNothingLeft(npm, signal, 2);
  });

  test('the store and the functions end if the run itself is killed', proven, async () => {
    const { npm } = await start('curl ');
    const [run = 0] = descendantsOf(npm.pid as number);
    const descendants = descendantsOf(run);
    process.kill(run, 'SIGKILL');
    await untilEnded(descendants);
  });
});

test.each([
  ['dashboard', ['--port', '0'], 'Starting DynamoDB Local'],
  ['bench', [], 'Load before'],
] as const)('npm run %s ends with npm', proven, async (script, options, text) =>
  expectNothingLeft(await startByNpm(script, options, text), 'SIGKILL', 1),
);

test('each script replaces its shell by its program, because the shell would not forward signals', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const [name, script] of Object.entries<string>(scripts))
    expect(script.split(' && ').at(-1), name).toMatch(/^(?:[A-Z]+=\w+ )?exec /);
});
