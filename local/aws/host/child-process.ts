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

const children = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Lets no child outlive this process, however it ends, as long as it can still run code. */
export const endWithThisProcess = (child: ChildProcess): void => {
  children.add(child);
  child.once('close', () => children.delete(child));
};

const hasEnded = (child: ChildProcess) =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
