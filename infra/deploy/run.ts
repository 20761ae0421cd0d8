import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const notFound = 127;

/** Runs a program to its end; gives what it put out. One that is not there has the exit code that shells give it. */
export const run = async (command: string, options: readonly string[], cwd: string) => {
  const child = spawn(command, options, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = (once(child, 'close') as Promise<[number | null]>).catch((): [number] => [notFound]);
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { exitCode, output: exitCode === notFound ? `${command} is not installed.` : stdout + stderr };
};
