import type { FunctionProcess } from './function-process.ts';
import type { Outcome } from './runtime-api.ts';

export type FunctionPool = {
  /** The function is told under which ARN it is invoked: its own, unless another one is given. */
  readonly invoke: (event: string, traceId: string, invokedArn?: string) => Promise<Outcome>;
  /** Starts a process, so that the next event finds one. */
  readonly start: () => Promise<void>;
  /** Ends the processes at once; an event under way fails, and so does any later one. */
  readonly close: () => Promise<void>;
  /** Ends the processes when the events that they were given are answered. */
  readonly drain: () => Promise<void>;
};

/** The process may still be starting. */
type Slot = { process?: Promise<FunctionProcess> };

/** Gives each event to a process that has no other one, and starts processes as needed; beyond the maximum, events wait. */
export const createFunctionPool = (
  startProcess: () => Promise<FunctionProcess>,
  maxProcesses: number,
): FunctionPool => {
  const slots = Array.from({ length: maxProcesses }, (): Slot => ({}));
  const freeSlots = [...slots];
  const waiting: ((slot: Slot) => void)[] = [];
  let isClosed = false;

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

  const runningIn = async (slot: Slot): Promise<FunctionProcess> => {
    const running = await processOf(slot);
    if (running?.isAlive()) return running;
    slot.process = startProcess();
    return slot.process;
  };

  const inSlot = async <T>(use: (slot: Slot) => Promise<T>): Promise<T> => {
    const slot = await takeSlot();
    try {
      return await use(slot);
    } finally {
      freeSlot(slot);
    }
  };

  const close = async () => {
    isClosed = true;
    await Promise.all(slots.map(async (slot) => (await processOf(slot))?.stop()));
  };

  return {
    invoke: (event, traceId, invokedArn) =>
      inSlot(async (slot) => (isClosed ? hasEnded : (await runningIn(slot)).invoke(event, traceId, invokedArn))),
    start: () => inSlot(async (slot) => void (await runningIn(slot))),
    close,
    drain: async () => {
      await Promise.all(slots.map(takeSlot));
      await close();
    },
  };
};

const hasEnded: Outcome = { kind: 'failure', reason: 'its run has ended', processIsLost: true };

/** Gives none where there was no start, or where it failed. */
const processOf = ({ process }: Slot) => process?.catch(() => undefined);
