import type { FunctionProcess } from './function-process.ts';
import type { Outcome } from './runtime-api.ts';

export type FunctionPool = {
  readonly invoke: (event: string, traceId: string) => Promise<Outcome>;
  readonly close: () => Promise<void>;
};

type PoolObserver = {
  /** An event came; with it so many are under way, those included that wait. */
  readonly begun: (underWay: number) => void;
  /** One was served, or failed, and so many are left. `durationMs` without its wait. */
  readonly ended: (invocation: { underWay: number; durationMs: number; hasFailed: boolean }) => void;
};

const nobody: PoolObserver = { begun: () => undefined, ended: () => undefined };

type Slot = { process?: FunctionProcess };

/** Lambda would start as many as it takes; this machine's memory is shared by all functions. */
const maxProcesses = 2;

/** Gives each event to a process that has no other one, and starts processes as needed; beyond the maximum, events wait. */
export const createFunctionPool = (
  startProcess: () => Promise<FunctionProcess>,
  observer: PoolObserver = nobody,
): FunctionPool => {
  let underWay = 0;
  const slots = Array.from({ length: maxProcesses }, (): Slot => ({}));
  const freeSlots = [...slots];
  const waiting: ((slot: Slot) => void)[] = [];

  // The slot that was freed last is taken first: its process is warm.
  const takeSlot = (): Promise<Slot> =>
    new Promise((resolve) => {
      const slot = freeSlots.pop();
      if (slot) resolve(slot);
      else waiting.push(resolve);
    });

  const freeSlot = (slot: Slot) => {
    const next = waiting.shift();
    if (next) next(slot);
    else freeSlots.push(slot);
  };

  return {
    invoke: async (event, traceId) => {
      observer.begun(++underWay);
      const slot = await takeSlot();
      const startedMs = performance.now();
      let hasFailed = true;
      try {
        if (!slot.process?.isAlive()) slot.process = await startProcess();
        const outcome = await slot.process.invoke(event, traceId);
        hasFailed = outcome.kind === 'failure';
        return outcome;
      } finally {
        freeSlot(slot);
        observer.ended({ underWay: --underWay, durationMs: performance.now() - startedMs, hasFailed });
      }
    },
    close: async () => {
      await Promise.all(slots.map(({ process }) => process?.stop()));
    },
  };
};
