import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

const graceMs = 2000;

/** Ends a child and waits for its end. A child that ignores the signal is killed. */
export const stopChild = async (child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = once(child, 'close');
  child.kill(signal);
  const impatience = setTimeout(() => killGroup(child), graceMs);
  await ended;
  clearTimeout(impatience);
};

const children = new Set<ChildProcess>();

/** Kills all children, with the processes that they started. */
export const killChildren = (): void => {
  for (const child of children) killGroup(child);
};

process.on('exit', () => {
  killChildren();
  watcher?.kill('SIGKILL');
});

/**
 * Kills a child. A child that is detached from the terminal leads a process group, which contains the processes that it starts.
 */
const killGroup = (child: ChildProcess): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
};

/** Ends the child when this process ends, also if this process is killed and cannot run any code. */
export const endWithThisProcess = (child: ChildProcess): void => {
  const { pid } = child;
  if (pid === undefined) return;
  children.add(child);
  sendToWatcher(`+ ${pid}`);
  child.once('close', () => {
    children.delete(child);
    sendToWatcher(`- ${pid}`);
  });
};

/**
 * Reads the pids of children from a pipe. The pipe breaks when this process ends; the script then kills the remaining children.
 */
const watcherScript = `
pids=' '
while read -r sign pid; do
  case $sign in
    +) pids="$pids$pid " ;;
    -) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -9 "-$pid" 2>/dev/null || kill -9 "$pid" 2>/dev/null; done`;

let watcher: ChildProcess | undefined;

/** Starts the watcher, which kills the children if this process is killed. Call it before a child starts. */
export const startWatching = (): ChildProcess => {
  watcher ??= startWatcher();
  return watcher;
};

const sendToWatcher = (line: string): void => void startWatching().stdin?.write(`${line}\n`);

const startWatcher = (): ChildProcess => {
  const started = spawn('sh', ['-c', watcherScript], { stdio: ['pipe', 'ignore', 'ignore'], ...apartFromTerminal });
  // Without such a shell, there is no watcher.
  started.on('error', () => undefined);
  started.stdin.on('error', () => undefined);
  // The watcher does not keep this process alive.
  started.unref();
  (started.stdin as Socket).unref();
  return started;
};

/** Options of a child that Ctrl-C in the terminal does not reach; this process ends the child when it no longer needs it. */
export const apartFromTerminal = { detached: true };

const parentPid = process.ppid;

const parentCheckMs = 500;

/**
 * If npm has started this process, calls back when npm has ended. npm forwards SIGINT and SIGTERM but no other signal. After
 * npm's end, the system gives this process another parent.
 */
export const whenNpmEnds = (callback: () => void): void => {
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === parentPid) return;
    clearInterval(timer);
    callback();
  }, parentCheckMs);
  timer.unref();
};

export const hasEnded = (child: ChildProcess) =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

type OnClose = (closer: () => unknown) => void;

/**
 * Runs `open`, which registers a closer for each thing that it opens. `close` runs them, the last first; they also run if
 * `open` fails.
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
