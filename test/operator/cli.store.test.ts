import { readdirSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { nameOf } from '../../operator/cli/command.ts';
import { createContext, type Host } from '../../operator/cli/context.ts';
import { print, printJson } from '../../operator/cli/output.ts';
import { commands } from '../../operator/commands.ts';
import type { Target } from '../../operator/connection/connection.ts';
import { operate, operateForJson } from '../support/operator.ts';
import { injectFault, onboard, openWorld } from '../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

describe('command line', () => {
  describe('usage', () => {
    test.each([
      [['company', 'suspend', 'acme'], '--reason'],
      [['company', 'suspend', 'Acme', '--reason', 'x'], '<companyId> is not a company id'],
      [['company', 'suspend'], 'missing required argument'],
      [['company', 'suspnd', 'acme'], 'Did you mean suspend?'],
      [['company', 'list', '--frobnicate'], 'unknown option'],
      [['company', 'list', '--stage', 'prod'], 'leave out one of the two'],
      [['company', 'list', '-o', 'yaml'], 'Allowed choices are table, json'],
      [['gateway', 'show', '-gw1'], 'as in "gateway show -- -gw1"'],
      [['contract', 'show', 'acme', '--user', '-owner1'], 'as the value of an option "--user=-id"'],
      [['company', 'list', 'xHCSAPI_acme_20300101T000000Z_x'], 'revoke it'],
    ])('%j is refused', async (commandLine, expected) => {
      const { exit, stdout, stderr } = await operate(commandLine, world);
      expect(exit).toBe('usage');
      expect(stderr).toContain(expected);
      expect(stdout + stderr).not.toContain('xHCSAPI_acme');
      expect(stdout).toBe('');
    });

    test('reports an unknown company', async () => {
      const { exit, stderr } = await operate(['company', 'suspend', 'nobody', '--reason', 'x'], world);
      expect(exit).toBe('not-found');
      expect(stderr).toContain('company onboard nobody');
      const onboarding = await operate(['company', 'onboard', 'nobody', '--reason', 'x'], world);
      expect(onboarding.stderr).toContain('Add it there, with its addresses, and restart npm start.');
    });
  });

  describe('--directory', () => {
    test('connects to the local run with its files in that folder', async () => {
      const asked: (string | undefined)[] = [];
      const connect = (target: Target) => {
        asked.push(target.directory);
        throw new Error('far enough');
      };
      await operate(['company', 'list', '--directory', '.local/second'], { ...world, connect });
      await operate(['company', 'list'], { ...world, connect });
      expect(asked).toEqual(['.local/second', undefined]);
    });

    test('is refused for a stage on AWS', () => {
      const host = { nowMs: Date.now } as Host;
      const options = { stage: 'prod', directory: '.local/second' };
      const command = {
        operation: 'company list',
        isShownToCompany: false,
        nameToType: undefined,
        program: new Command(),
      };
      const context = createContext(host, options, command);
      expect(() => context.stage).toThrow('--directory names the folder of a local run: add --local.');
    });
  });

  test.each([
    [['gateway', 'show', '--', '-gw1'], 'Gateway -gw1 was not described'],
    [['gateway', 'show', '--', '-ogw1'], 'Gateway -ogw1 was not described'],
    [['contract', 'show', 'acme', '--user', '-user1'], 'acme has no contract with -user1'],
    [['contract', 'show', 'acme', '--user=-owner1'], 'acme has no contract with -owner1'],
  ])('%j takes an id that begins with a hyphen', async (commandLine, expected) => {
    const { exit, stderr } = await operate(commandLine, world);
    expect([exit, stderr]).toEqual(['not-found', expect.stringContaining(expected)]);
  });

  test.each([
    [['contract', 'show', 'acme', '--user', 'user1'], 'contract open acme --user user1.'],
    [['contract', 'show', 'acme'], 'contract open acme --user <id>.'],
  ])('%j names the command that opens the contract', async (commandLine, remedy) => {
    const { exit, stderr } = await operate(commandLine, world);
    expect([exit, stderr]).toEqual(['not-found', expect.stringContaining(`To open one: ${remedy}`)]);
  });

  test('reports a full disk in one sentence without a stack trace', async () => {
    const connect = () => Promise.reject(Object.assign(new Error('ENOSPC: no space left, write'), { code: 'ENOSPC' }));
    const { exit, stderr } = await operate(['company', 'list'], { ...world, connect });
    expect([exit, stderr]).toEqual(['error', expect.stringMatching(/^A file could not be written [^\n]* again\.\n$/)]);
  });

  test('reports a throttling store as unavailable, and changes nothing', async () => {
    const { companyId } = await onboard(world.store);
    injectFault(world, () => 'throttle');
    const { exit, stderr } = await operate(['company', 'suspend', companyId, '--reason', 'x'], world);
    expect(exit).toBe('unavailable');
    expect(stderr).toContain('Run the same command again.');
  });

  test('the help of the program lists every command', async () => {
    const { stdout } = await operate(['--help'], world);
    const listOf = (word: string) =>
      new RegExp(`\\n {2}${word} +(.*(?:\\n {10,}.*)*)`).exec(stdout)?.[1]?.replace(/\s+/g, ' ').split(', ');
    for (const name of commands.map(nameOf)) {
      const [word = '', ...rest] = name.split(' ');
      expect(listOf(word)?.includes(rest.join(' ')) || rest.length === 0, name).toBe(true);
      expect(stdout).toContain(`\n  ${word} `);
    }
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
});

describe('output', () => {
  const codePoints = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));

  /** Characters that control a terminal: C0 except the line break, DEL, C1, and marks of the writing direction. */
  const steering = [
    ...codePoints(0x00, 0x09),
    ...codePoints(0x0b, 0x1f),
    ...codePoints(0x7f, 0x9f),
    ...['\u061c', '\u200e', '\u200f', ...codePoints(0x202a, 0x202e), ...codePoints(0x2066, 0x2069)],
  ];
  const steeringIn = (text: string) => steering.filter((character) => text.includes(character));

  const hostile = `${steering.join('x')}\u001b[2J\u009b31m\u001b]0;title\u0007end`;

  test('printed text keeps lines and letters, and loses characters that control a terminal', () => {
    const printed = (text: string) => {
      const stream = new PassThrough();
      print(stream, text);
      return String(stream.read());
    };
    expect(steeringIn(printed(hostile))).toEqual([]);
    expect(printed('\u001b[2Jcleared')).toBe('cleared');
    expect(printed('Größe\n„שלום“ 🔥 \u2028')).toBe('Größe\n„שלום“ 🔥 \u2028');
  });

  test('printed JSON has the same value, without raw characters that control a terminal', () => {
    const stream = new PassThrough();
    printJson(stream, { [hostile]: [hostile] });
    const text = stream.read().toString();
    expect(steeringIn(text)).toEqual([]);
    expect(JSON.parse(text)).toEqual({ [hostile]: [hostile] });
  });

  test('stored names, reasons and operators with such characters never reach a terminal raw, in any format', async () => {
    const { companyId } = await onboard(world.store, { name: hostile });
    const options = { ...world, operator: hostile };
    const outputs = [
      await operate(['company', 'suspend', companyId, '--reason', hostile], options),
      ...(await Promise.all(
        [
          ['company', 'list'],
          ['company', 'show', companyId],
          ['audit', 'list', companyId],
        ].flatMap((commandLine) => [operate(commandLine, options), operateForJson(commandLine, options)]),
      )),
      await operate(['company', 'show', hostile], options),
      await operate(['company', 'resume', companyId, `--${hostile}`], options),
    ];
    for (const { stdout, stderr } of outputs) expect(steeringIn(stdout + stderr)).toEqual([]);
    const shown = outputs.map(({ stdout, stderr }) => stdout + stderr).join('');
    expect(shown.match(/end/g)?.length).toBeGreaterThan(5);
  });

  test('only the one file that cleans text writes to a terminal', () => {
    const files = readdirSync('operator', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const writers = files.filter((name) =>
      /(stdout|stderr|stream)\.write\(/.test(readFileSync(`operator/${name}`, 'utf8')),
    );
    expect(writers.sort()).toEqual(['cli/output.ts']);
  });
});
