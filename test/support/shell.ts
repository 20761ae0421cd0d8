import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Service } from './service.ts';

/** What a script may ask the test to do, by the name of a command, which ends when it is done. */
export type ShellCommands = Readonly<Record<string, () => unknown>>;

const asking = '--- asks the test to:';

/** A folder in which a running service has its `.local`, and a shell in it, as a reader of the documents has them. */
export const openShell = (service: Service) => {
  const directory = mkdtempSync(join(tmpdir(), 'shell-'));
  symlinkSync(service.directory, join(directory, '.local'));
  return {
    directory,
    /** Runs a script and gives what it prints; any command that fails ends it. */
    run: async (script: string, commands: ShellCommands = {}): Promise<string> => {
      const definitions = Object.keys(commands).map((name) => `${name}() { echo '${asking}${name}'; read -r; }\n`);
      const child = spawn('bash', ['-euo', 'pipefail', '-c', definitions.join('') + script], { cwd: directory });
      const [lines, stderr, [exitCode]] = await Promise.all([
        answeredLines(child, commands),
        text(child.stderr),
        once(child, 'close'),
      ]);
      if (exitCode !== 0) throw new Error(`The script ended with exit code ${exitCode}:\n${stderr}`);
      return lines.join('\n');
    },
    close: () => rmSync(directory, { recursive: true }),
  };
};

/** The lines that a child prints but for those that ask the test, which are answered by a line when it has done so. */
const answeredLines = async ({ stdin, stdout }: ReturnType<typeof spawn>, commands: ShellCommands) => {
  const lines: string[] = [];
  for await (const line of createInterface({ input: stdout as NodeJS.ReadableStream })) {
    if (!line.startsWith(asking)) lines.push(line);
    else {
      await commands[line.slice(asking.length)]?.();
      stdin?.write('\n');
    }
  }
  return lines;
};

/** The JSON objects in what a script has printed, each on the rest of its line. */
export const answersIn = (output: string) => [...output.matchAll(/^\{.*\}$/gm)].map(([line]) => JSON.parse(line));

/** The shell blocks of a Markdown text, in order. */
export const shellBlocksOf = (markdown: string): string[] =>
  [...markdown.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
