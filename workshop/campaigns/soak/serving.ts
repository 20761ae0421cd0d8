import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { RunClock } from '../../../local/dashboard-preview/run-clock.ts';
import type { Demo } from '../../../local/demo/demo-world.ts';
import { size } from '../../../test/support/campaign.ts';

type Served = { readonly demo: Demo; readonly pid: number; readonly directory: string };

/** Returns the error lines of the functions: they show the cause of a single 500 among 10,000 answers. */
export const errorLinesIn = (directory: string): string =>
  readdirSync(join(directory, 'logs'))
    .flatMap((file) => readFileSync(join(directory, 'logs', file), 'utf8').split('\n'))
    .filter((line) => line.includes('"level":"ERROR"'))
    .slice(0, 20)
    .join('\n');

/** Starts the local run in its own process, as `npm start` does, until the test ends. */
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

/** Megabytes per process of each group. */
type Memory = Partial<Record<Group, number>>;

/** Reads the memory of a local run each second until it is stopped; returns the means of the run's second and last thirds. */
export const watchMemory = (pid: number, clock: RunClock) => {
  const thirds: Memory[][] = [[], [], []];
  const sampler = setInterval(
    () => thirds[Math.min(2, Math.floor((3 * clock.runMsAt(Date.now())) / clock.lengthMs))]?.push(memoryOf(pid)),
    1000,
  );
  onTestFinished(() => clearInterval(sampler));
  return {
    stop: (): { readonly second: Memory; readonly last: Memory } => {
      clearInterval(sampler);
      const [, second = [], last = []] = thirds;
      return { second: meanOf(second), last: meanOf(last) };
    },
  };
};

/** Memory growth allowed between the thirds; a run under a quarter of an hour cannot distinguish a leak from the start-up. */
const growthAllowed = size({ test: 0, prove: Number.POSITIVE_INFINITY, full: 1.1 });

/** Expects that no process grew between the second and the last third of a run. */
export const expectFlatMemory = ({ second, last }: { readonly second: Memory; readonly last: Memory }): void => {
  for (const [group, megabytes] of Object.entries(last) as [Group, number][])
    expect(megabytes, group).toBeLessThanOrEqual(growthAllowed * (second[group] ?? 0));
};

const meanOf = (samples: readonly Memory[]): Memory => {
  const groups = [...new Set(samples.flatMap((sample) => Object.keys(sample) as Group[]))];
  const means = groups.map((group) => {
    const values = samples.map((sample) => sample[group]).filter((each) => each !== undefined);
    return [group, Math.round(values.reduce((sum, each) => sum + each, 0) / values.length)];
  });
  return Object.fromEntries(means);
};

/** The processes of a local run: the server, the functions and the store. */
type Group = 'server' | 'functions' | 'store';

type Process = { readonly pid: number; readonly parent: number; readonly megabytes: number; readonly command: string };

/** Returns the memory (RSS, in MB) per process of each group, as the mean of the present processes. */
const memoryOf = (pid: number): Partial<Record<Group, number>> => {
  const all = readProcesses();
  const mine = all.filter((each) => each.pid === pid);
  for (const parent of mine) mine.push(...all.filter((each) => each.parent === parent.pid));
  const groups = Object.groupBy(mine, (each) => groupOf(each, pid));
  return Object.fromEntries(
    Object.entries(groups).map(([group, members]) => [group, mean(members.map(({ megabytes }) => megabytes))]),
  );
};

const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;

const groupOf = ({ pid, command }: Process, server: number): Group => {
  if (pid === server) return 'server';
  return command.includes('bootstrap.mjs') ? 'functions' : 'store';
};

const readProcesses = (): Process[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,rss=,args='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, kilobytes, ...command] = line.trim().split(/\s+/);
      return {
        pid: Number(pid),
        parent: Number(parent),
        megabytes: Number(kilobytes) / 1024,
        command: command.join(' '),
      };
    });
