import { execFileSync } from 'node:child_process';

/** The processes of a local run: the one that serves, those of its functions, and the store. */
export type Group = 'server' | 'functions' | 'store';

type Process = { readonly pid: number; readonly parent: number; readonly megabytes: number; readonly command: string };

/** Megabytes in memory (RSS) of a process of each group, on average over those that the run has now. */
export const memoryOf = (pid: number): Partial<Record<Group, number>> => {
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
