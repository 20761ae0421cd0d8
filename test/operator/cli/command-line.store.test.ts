import { beforeAll, describe, expect, test } from 'vitest';
import { nameOf } from '../../../operator/cli/command.ts';
import { createContext, type Host } from '../../../operator/cli/context.ts';
import { commands } from '../../../operator/commands.ts';
import type { Target } from '../../../operator/connection/connection.ts';
import { operate } from '../../support/operator.ts';
import { injectFault, onboard, openWorld } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

describe('usage', () => {
  test.each([
    [['company', 'suspend', 'acme'], '--reason'],
    [['company', 'suspend', 'Acme', '--reason', 'x'], '<companyId> is no company id'],
    [['company', 'suspend'], 'missing required argument'],
    [['company', 'suspnd', 'acme'], 'Did you mean suspend?'],
    [['company', 'list', '--frobnicate'], 'unknown option'],
    [['company', 'list', '--stage', 'prod'], 'leave out one of the two'],
    [['company', 'list', '-o', 'yaml'], 'Allowed choices are table, json'],
    [['company', 'list', 'xHCSAPI_acme_20300101T000000Z_x'], 'revoke it'],
  ])('%j is refused', async (commandLine, expected) => {
    const { exit, stdout, stderr } = await operate(commandLine, world);
    expect(exit).toBe('usage');
    expect(stderr).toContain(expected);
    expect(stdout + stderr).not.toContain('xHCSAPI_acme');
    expect(stdout).toBe('');
  });

  test('a company that is not there', async () => {
    const { exit, stderr } = await operate(['company', 'suspend', 'nobody', '--reason', 'x'], world);
    expect(exit).toBe('not-found');
    expect(stderr).toContain('company onboard nobody');
  });
});

describe('--directory', () => {
  test('leads to the local run that has its files there', async () => {
    const asked: (string | undefined)[] = [];
    const connect = (target: Target) => {
      asked.push(target.directory);
      throw new Error('far enough');
    };
    await operate(['company', 'list', '--directory', '.local/second'], { ...world, connect });
    await operate(['company', 'list'], { ...world, connect });
    expect(asked).toEqual(['.local/second', undefined]);
  });

  test('is no way to a stage on AWS', () => {
    const host = { nowMs: Date.now } as Host;
    const options = { stage: 'prod', directory: '.local/second' };
    const context = createContext(host, options, { operation: 'company list', nameToType: undefined });
    expect(() => context.stage).toThrow('--directory names the folder of a local run: add --local.');
  });
});

test('a store that throttles is called unavailable, and nothing is changed', async () => {
  const { companyId } = await onboard(world.store);
  injectFault(world, () => 'throttle');
  const { exit, stderr } = await operate(['company', 'suspend', companyId, '--reason', 'x'], world);
  expect(exit).toBe('unavailable');
  expect(stderr).toContain('Run the same command again.');
});

test.each(commands.map((command) => [nameOf(command), command] as const))(
  'the help of %s names its summary, arguments, options and the exit codes',
  async (_, command) => {
    const { exit, stdout } = await operate([...nameOf(command).split(' '), '--help'], world);
    expect(exit).toBe('ok');
    const summaries = [...Object.values(command.arguments), ...Object.values(command.options)];
    const text = stdout.replace(/\s+/g, ' ');
    for (const { summary } of [command, ...summaries]) expect(text).toContain(summary);
    expect(stdout).toContain('7  unavailable');
    expect(stdout.includes('--reason')).toBe(command.changes);
  },
);
