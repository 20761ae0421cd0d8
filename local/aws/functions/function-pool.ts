import type { FunctionProcess } from './function-process.ts';
import type { Outcome } from './runtime-api.ts';

export type FunctionPool = {
  readonly invoke: (event: string, traceId: string) => Promise<Outcome>;
  readonly close: () => Promise<void>;
};

/** The process may still be starting. */
type Slot = { process?: Promise<FunctionProcess> };

/** Lambda would start as many as it takes; this machine's memory is shared by all functions. */
const maxProcesses = 2;

/** Gives each event to a process that has no other one, and starts processes as needed; beyond the maximum, events wait. */
export const createFunctionPool = (startProcess: () => Promise<FunctionProcess>): FunctionPool => {
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
      const slot = await takeSlot();
      try {
        const running = await processOf(slot);
        if (running?.isAlive()) return await running.invoke(event, traceId);
        slot.process = startProcess();
        return await (await slot.process).invoke(event, traceId);
      } finally {
        freeSlot(slot);
      }
    },
    close: async () => {
      await Promise.all(slots.map(async (slot) => (await processOf(slot))?.stop()));
    },
  };
};

/** None where there was no start, or where it failed. */
const processOf = ({ process }: Slot) => process?.catch(() => undefined);
