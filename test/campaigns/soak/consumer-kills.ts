import { execFileSync } from 'node:child_process';
import { consumerNames } from '../../../lambdas/api/consumers.ts';

/** Finds the processes of the consumers of the local run that has this process id: a function's name is in its environment. */
const consumerProcesses = (serverPid: number): number[] =>
  execFileSync('ps', ['axeww', '-o', 'pid=,ppid=,command='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .map((line) =>
      line
        .trim()
        .split(/\s+/, 2)
        .map(Number)
        .concat(isConsumer(line) ? 1 : 0),
    )
    .filter(([, parent, isOne]) => parent === serverPid && isOne === 1)
    .map(([pid]) => pid as number);

const isConsumer = (line: string): boolean =>
  consumerNames.some((name) => new RegExp(`AWS_LAMBDA_FUNCTION_NAME=\\S+-${name}(\\s|$)`).test(line));

/** Kills a process of a consumer, whatever it is doing; returns whether there was one. */
export const killConsumer = (serverPid: number, random: () => number): boolean => {
  const pids = consumerProcesses(serverPid);
  const pid = pids[Math.floor(random() * pids.length)];
  if (pid === undefined) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    // It has ended by itself.
    return false;
  }
};
