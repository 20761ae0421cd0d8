import type { EventEmitter } from 'node:events';
import type { FunctionPool } from './function-pool.ts';
import type { FunctionProcess } from './function-process.ts';

export type FunctionEvents = {
  /** The number of invocations of a function that are under way has changed; it includes those that wait for a process. */
  concurrency: [{ readonly functionName: string; readonly underWay: number }];
  /** An invocation has ended; `durationMs` is without its wait for a process. */
  invocation: [{ readonly functionName: string; readonly durationMs: number; readonly hasFailed: boolean }];
  /** A function was given records of a stream, of which the last one is from this time. */
  streamBatch: [{ readonly functionName: string; readonly lastRecordAtMs: number }];
};

export type FunctionEmitter = Pick<EventEmitter<FunctionEvents>, 'emit'>;

/** Tells how many invocations of the function are under way, whenever that changes. */
export const observedPool = (functionName: string, pool: FunctionPool, events: FunctionEmitter): FunctionPool => {
  let underWay = 0;
  const change = (by: number) => {
    underWay += by;
    events.emit('concurrency', { functionName, underWay });
  };
  return {
    ...pool,
    invoke: async (...invocation) => {
      change(1);
      try {
        return await pool.invoke(...invocation);
      } finally {
        change(-1);
      }
    },
  };
};

/** Tells of each invocation how long its process took, which the wait for a process is no part of. */
export const observedProcess = (
  functionName: string,
  process: FunctionProcess,
  events: FunctionEmitter,
): FunctionProcess => ({
  ...process,
  invoke: async (...invocation) => {
    const startedMs = performance.now();
    const outcome = await process.invoke(...invocation);
    const durationMs = performance.now() - startedMs;
    events.emit('invocation', { functionName, durationMs, hasFailed: outcome.kind === 'failure' });
    return outcome;
  },
});
