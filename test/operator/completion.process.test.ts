import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nameOf } from '../../operator/cli/command.ts';
import { completionScript, shells } from '../../operator/cli/completion.ts';
import type { Host } from '../../operator/cli/context.ts';
import { createProgram } from '../../operator/cli/program.ts';
import { commands } from '../../operator/commands.ts';

type Shell = (typeof shells)[number];

const program = createProgram(commands, {} as Host, async () => undefined);

/** A folder with only a file whose name has a space. */
const directory = mkdtempSync(join(tmpdir(), 'completion-'));
writeFileSync(join(directory, 'my owners.csv'), '');

const scriptOf = (shell: Shell): string => {
  const file = join(directory, '..', `${directory.split('/').at(-1)}.${shell}`);
  writeFileSync(file, completionScript(shell, program));
  return file;
};

/** The commands with which a shell lists its completions of the last word of a command line. */
const asks: Record<Shell, (words: readonly string[]) => string> = {
  bash: (words) =>
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_partner_api_operator; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The completion system of zsh needs a terminal: these functions print what it would receive.
  zsh: (words) =>
    `_describe() { printf '%s\\n' \${\${(P)4}%%:*} }; _files() { print -l -- * }
words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _partner_api_operator`,
  fish: (words) => `complete -C '${words.join(' ')}' | string replace -r '\\t.*' ''; true`,
};

const ask = (shell: Shell, words: readonly string[]): string[] => {
  const prepared = shell === 'zsh' ? 'compdef() { : }\n' : '';
  const asked = `${prepared}source '${scriptOf(shell)}'\n${asks[shell](['partner-api-operator', ...words])}`;
  const options = shell === 'bash' ? ['--norc'] : shell === 'zsh' ? ['-f'] : ['--no-config'];
  const offered = execFileSync(shell, [...options, '-c', asked], { cwd: directory, encoding: 'utf8' }).split('\n');
  // fish and bash filter by the typed prefix; zsh does so in _describe, which is replaced above.
  return offered
    .map((word) => word.replace(/\\ /g, ' '))
    .filter((word) => word !== '' && word.startsWith(words.at(-1) ?? ''));
};

const nouns = [...new Set(commands.map(({ noun }) => noun.split(' ')[0] ?? ''))];
const verbsOf = (noun: string) => commands.flatMap((row) => (row.noun === noun && row.verb ? [row.verb] : []));

const isThere = (shell: Shell) => spawnSync(shell, ['--version']).error === undefined;

describe.each(shells)('%s', (shell) => {
  test.skipIf(!isThere(shell))('loads its script, and completes the next word (skipped without the shell)', () => {
    const offers: [string[], readonly string[]][] = [
      [[''], nouns],
      [['co'], ['company', 'consent', 'contract', 'completion']],
      [['key', ''], verbsOf('key')],
      [['--stage', 'prod', 'key', ''], verbsOf('key')],
      [['integration', 'dead', ''], verbsOf('integration dead')],
      [['company', 'list', '--o'], ['--output']],
      [['company', 'suspend', 'acme', '--rea'], ['--reason']],
      [['company', 'list', '--rea'], []],
      [
        ['company', 'list', '--output', ''],
        ['table', 'json'],
      ],
      [
        ['key', 'issue', 'acme', '--access', ''],
        ['full', 'read'],
      ],
      [['key', 'issue', 'acme', '--label', ''], []],
      [['completion', ''], shells],
      [['completion', 'bash', ''], []],
      [['gateway', 'import', ''], []],
      [['gateway', 'import', 'acme', ''], ['my owners.csv']],
      [['company', 'onboard', 'acme', '--owners', 'my'], ['my owners.csv']],
    ];
    for (const [words, expected] of offers)
      expect(ask(shell, words).sort(), words.join(' ')).toEqual([...expected].sort());
  });
});

test('every script contains all commands, options and choices', () => {
  for (const shell of shells) {
    const script = completionScript(shell, program);
    for (const row of commands) expect(script, shell).toContain(`'${nameOf(row)}'`);
    for (const word of ['--with-descendants', '--dry-run', 'requestedChanges']) expect(script, shell).toContain(word);
  }
});
