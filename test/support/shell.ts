import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Service } from './service.ts';

/** A folder in which a running service has its `.local`, and a shell in it, as a reader of the documents has them. */
export const openShell = (service: Service) => {
  const directory = mkdtempSync(join(tmpdir(), 'shell-'));
  symlinkSync(service.directory, join(directory, '.local'));
  return {
    directory,
    /** Runs a script and gives what it prints; any command that fails ends it. */
    run: async (script: string): Promise<string> =>
      (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: directory })).stdout,
    close: () => rmSync(directory, { recursive: true }),
  };
};

/** The JSON objects in what a script has printed, each on the rest of its line. */
export const answersIn = (output: string) => [...output.matchAll(/^\{.*\}$/gm)].map(([line]) => JSON.parse(line));

/** The shell blocks of a Markdown text, in order. */
export const shellBlocksOf = (markdown: string): string[] =>
  [...markdown.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
