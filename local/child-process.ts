import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const graceMs = 2000;

/** Ends a child and waits until it is gone; one that ignores SIGTERM is killed. */
export const stopChild = async (child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = once(child, 'close');
  child.kill(signal);
  const impatience = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended;
  clearTimeout(impatience);
};

/** Lets no child outlive this process, however it ends, as long as it can still run code. */
export const endWithThisProcess = (child: ChildProcess): void => {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
};

const hasEnded = (child: ChildProcess) =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
