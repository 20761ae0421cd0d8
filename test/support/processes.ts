import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';

/** The children of a process, optionally only those of one program. */
export const childrenOf = (parent: number, program = ''): number[] =>
  processes().flatMap(({ pid, parentPid, command }) =>
    parentPid === parent && command.endsWith(program) ? [pid] : [],
  );

/** All descendants of a process. */
export const descendantsOf = (parent: number): number[] =>
  childrenOf(parent).flatMap((child) => [child, ...descendantsOf(child)]);

/** Whether a process runs; a zombie does not. */
export const isRunning = (pid: number): boolean => processes().some((each) => each.pid === pid && each.state !== 'Z');

/** Kills a process. Returns false if it has ended already. */
export const killIfRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
};

/** Lists all processes. Bare Linux machines have no `ps`, other systems no `/proc`. */
const processes = () => {
  const lines = existsSync('/proc/self/stat')
    ? globSync('/proc/[0-9]*/stat').map((file) =>
        readIfThere(file).replace(/^(\d+) \((.*)\) (\S) (\d+).*/s, '$1 $4 $3 $2'),
      )
    : execFileSync('ps', ['-A', '-o', 'pid=,ppid=,state=,comm='], { encoding: 'utf8' }).split('\n');
  return lines.map((line) => {
    const [pid, parentPid, state = '', ...command] = line.trim().split(/\s+/);
    return { pid: Number(pid), parentPid: Number(parentPid), state: state.slice(0, 1), command: command.join(' ') };
  });
};

const readIfThere = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
