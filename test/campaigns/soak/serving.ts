import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Demo } from '../../../local/demo/demo-file.ts';

export type Served = { readonly demo: Demo; readonly pid: number; readonly directory: string };

/** What the functions say of faults of their own: without it nobody could find the cause of one 500 in 10,000 answers. */
export const errorLinesIn = (directory: string): string =>
  readdirSync(join(directory, 'logs'))
    .flatMap((file) => readFileSync(join(directory, 'logs', file), 'utf8').split('\n'))
    .filter((line) => line.includes('"level":"ERROR"'))
    .slice(0, 20)
    .join('\n');

/** The local run in a process of its own, as `npm start` is one, until the test ends. */
export const startServing = async (): Promise<Served> => {
  const directory = mkdtempSync(join(tmpdir(), 'soak-'));
  const child = fork(join(import.meta.dirname, 'served-process.ts'), [directory]);
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill();
    await ended;
    rmSync(directory, { recursive: true });
  });
  const failed = ended.then(([exitCode]) => {
    throw new Error(`The local run ended with ${exitCode} before it served.`);
  });
  const [demo] = (await Promise.race([once(child, 'message'), failed])) as [Demo];
  return { demo, pid: child.pid as number, directory };
};
