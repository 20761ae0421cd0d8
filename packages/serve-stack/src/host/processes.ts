import { type ChildProcess, spawn } from 'node:child_process';
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

/** Ends all children at once. */
export const killChildren = (): void => {
  for (const child of children) child.kill('SIGKILL');
};

process.on('exit', killChildren);

/** Lets no child outlive this process, however it ends, as long as it can still run code. */
export const endWithThisProcess = (child: ChildProcess): void => {
  children.add(child);
  child.once('close', () => children.delete(child));
};

/** Lets a child that would not notice end also if this process is killed: its watcher waits for the pipe to it to break. */
export const endEvenIfKilled = (child: ChildProcess): ChildProcess => {
  const script = child.pid === undefined ? 'true' : `read -r _; kill -9 ${child.pid}`;
  const watcher = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], ...apartFromTerminal });
  // Where there is no such shell, nobody watches.
  watcher.on('error', () => undefined);
  endWithThisProcess(watcher);
  child.once('close', () => watcher.kill());
  return watcher;
};

/** Options of a child that Ctrl-C in the terminal does not reach: it ends when this process has no more use for it. */
export const apartFromTerminal = { detached: true };

export const hasEnded = (child: ChildProcess) =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

type OnClose = (closer: () => unknown) => void;

/**
 * Runs what opens one thing after the other; `close` closes them, the last first. What was opened is closed too if the
 * rest fails.
 */
export const openAll = async <Opened extends object>(
  open: (onClose: OnClose) => Promise<Opened>,
): Promise<Opened & { readonly close: () => Promise<void> }> => {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) await closer();
  };
  try {
    return { ...(await open((closer) => closers.push(closer))), close };
  } catch (error) {
    await close();
    throw error;
  }
};
