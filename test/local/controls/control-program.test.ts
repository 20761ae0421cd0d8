import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { createControlProgram } from '../../../local/controls/control-program.ts';
import { controlRows, usageOf } from '../../../local/controls/controls.ts';

/** Runs a command line and returns what it sent and printed. */
const run = async (...words: string[]) => {
  const sent: unknown[] = [];
  const texts: string[] = [];
  const write = (text: unknown) => texts.push(String(text)) > 0;
  const output = vi.spyOn(process.stdout, 'write').mockImplementation(write);
  const program = createControlProgram(async (request) => {
    sent.push(request);
    return ['one', 'two'];
  });
  const configure = (command: typeof program) =>
    command.exitOverride().configureOutput({ writeErr: write, writeOut: write });
  for (const command of [program, ...program.commands]) configure(command);
  await program.parseAsync(words, { from: 'user' }).catch(({ name }: Error) => write(name));
  output.mockRestore();
  return { sent, printed: texts.join('') };
};

test('sends a control with its arguments to the run of the folder and prints the answer', async () => {
  const { sent, printed } = await run('block', 'gw-1001', 'dhwCircuits', '--directory', '.local/second');
  expect(sent).toEqual([{ name: 'block', words: ['gw-1001', 'dhwCircuits'], directory: '.local/second' }]);
  expect(printed).toBe('one\ntwo\n');
});

test('uses the folder of npm start by default', async () => {
  expect((await run('suspend')).sent).toEqual([{ name: 'suspend', words: [], directory: '.local' }]);
});

test('the help lists each control with its arguments', async () => {
  const { printed } = await run('--help');
  const lines = printed.split('\n').map((line) => line.trim());
  for (const [name] of controlRows) expect(lines.some((line) => line.startsWith(`${usageOf(name)}  `))).toBe(true);
});

test('the help of one control says what a partner sees', async () => {
  expect((await run('suspend', '--help')).printed).toMatch(/403\s+company-suspended/);
});

test.each([
  [['offlin', 'gw-1001'], /unknown command 'offlin'\n\(Did you mean offline\?\)/],
  [['offline'], /missing required argument 'gateway'/],
  [['offline', 'gw-1001', 'gw-1002'], /too many arguments/],
  [['offline', 'gw-1001', '--stage', 'prod'], /unknown option '--stage'/],
  [[], /Usage: npm run demo -- <control>/],
])('%j is not sent, and the answer says what is wrong', async (words, message) => {
  const { sent, printed } = await run(...words);
  expect([sent, printed]).toEqual([[], expect.stringMatching(message)]);
});

describe('the documents', () => {
  const files = globSync(['docs/**/*.md', 'partner/**/*.md', 'README.md'], {
    exclude: (path) => path.includes('node_modules'),
  });
  const names = controlRows.map(([name]) => name as string);

  test('name controls that exist', () => {
    const named = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/npm run demo -- ([a-z][\w-]*)/g)].map(([, name]) => `${file} ${name}`),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((each) => !names.includes(each.split(' ')[1] ?? ''))).toEqual([]);
  });

  test('point partners to controls, never to operator commands', () => {
    const guide = files.filter((file) => file.startsWith('partner/guide/'));
    expect(guide.filter((file) => readFileSync(file, 'utf8').includes('npm run operator'))).toEqual([]);
  });
});
