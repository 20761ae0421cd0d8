import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { DynamoDbProxy } from '../dynamodb/dynamodb-proxy.ts';
import { principalInRole } from '../iam/principals.ts';
import type { Resolve } from '../template/intrinsics.ts';
import type { Stack } from '../template/template.ts';
import { type FunctionDefinition, readFunctions, unpackCode } from './function-definitions.ts';
import {
  type FunctionProcess,
  lambdaEnvironment,
  type Outcome,
  type OutsideHosts,
  startFunctionProcess,
  storeEndpointVariable,
} from './function-process.ts';

type Options = {
  readonly resolve: Resolve;
  readonly proxy: Pick<DynamoDbProxy, 'endpoint' | 'issueAccessKeyId'>;
  /** Tells the SDK by environment variables where services other than DynamoDB are. */
  readonly endpointVariables?: Readonly<Record<string, string>>;
  /** Takes a copy of the code: outside the repository, so that a module which the bundle forgot is not found. */
  readonly codeDirectory: string;
  readonly logsDirectory: string;
  readonly outside?: OutsideHosts | undefined;
  readonly events?: FunctionEmitter;
  /** How many times slower than Lambda's this machine is taken to be: all limits on time are so much longer. */
  readonly timeFactor?: number | undefined;
  /** The function, by its ARN, whose one process has the inspector of Node.js on a port. */
  readonly inspected?: { readonly arn: string; readonly port: number } | undefined;
};

/** Lambda would start as many as it takes; this machine's memory is shared by all functions. */
const maxProcesses = 2;

/** Lambda grants this much to a function until it asks for its first event. */
const initializationLimitMs = 10_000;

/** Nobody steps through code in a hurry. */
const limitWhenInspectedMs = 24 * 3_600_000;

/** Makes the template's functions ready to be invoked, each under its ARN and those of its version and aliases. */
export const createFunctions = (stack: Stack, options: Options): ReadonlyMap<string, FunctionPool> =>
  new Map(
    readFunctions(stack.template, options.resolve).flatMap((definition) => {
      const pool = createFunction(stack, definition, options);
      const qualified = definition.qualifiedArns.map((arn) => [arn, invokedAs(arn, pool)] as const);
      return [[definition.arn, pool], ...qualified];
    }),
  );

/** Gives the same processes, told that they are invoked under another ARN. */
const invokedAs = (arn: string, pool: FunctionPool): FunctionPool => ({
  ...pool,
  invoke: (event, traceId) => pool.invoke(event, traceId, arn),
});

const createFunction = (stack: Stack, definition: FunctionDefinition, options: Options): FunctionPool => {
  const { resolve, proxy, endpointVariables, codeDirectory, logsDirectory } = options;
  const { events = new EventEmitter(), timeFactor = 1, inspected, outside } = options;
  const { name, arn, roleArn, timeoutMs, variables } = definition;
  const taskRoot = join(codeDirectory, name);
  unpackCode(stack, definition, taskRoot);
  const principal = principalInRole(stack.template, resolve, roleArn, name);
  const isInspected = inspected?.arn === arn;
  const limits = isInspected
    ? { initializationMs: limitWhenInspectedMs, invocationMs: limitWhenInspectedMs }
    : { initializationMs: initializationLimitMs * timeFactor, invocationMs: timeoutMs * timeFactor };

  const startProcess = async () => {
    const process = await startFunctionProcess({
      arn,
      taskRoot,
      limits,
      timeFactor,
      outside,
      logFile: join(logsDirectory, `${name}.log`),
      environment: {
        ...variables,
        ...lambdaEnvironment(definition, {
          taskRoot,
          region: stack.environment.region,
          accessKeyId: proxy.issueAccessKeyId(principal),
        }),
        ...endpointVariables,
        [storeEndpointVariable]: proxy.endpoint,
      },
      inspectorPort: isInspected ? inspected.port : undefined,
    });
    return observedProcess(name, process, events);
  };
  return observedPool(name, createFunctionPool(startProcess, isInspected ? 1 : maxProcesses), events);
};

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
const createFunctionPool = (startProcess: () => Promise<FunctionProcess>, maxProcesses: number): FunctionPool => {
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

export type FunctionEvents = {
  /** The number of invocations of a function that are under way has changed; it includes those that wait for a process. */
  concurrency: [{ readonly functionName: string; readonly underWay: number }];
  /** An invocation has ended; `durationMs` is without its wait for a process. */
  invocation: [{ readonly functionName: string; readonly durationMs: number; readonly hasFailed: boolean }];
  /** A function was given records of a stream, of which the last one is from this time. */
  streamBatch: [{ readonly functionName: string; readonly lastRecordAtMs: number }];
  /** A function was given messages of a queue, and those that did not fail were deleted. */
  queueBatch: [{ readonly queueName: string; readonly received: number; readonly deleted: number }];
};

export type FunctionEmitter = Pick<EventEmitter<FunctionEvents>, 'emit'>;

/** Tells how many invocations of the function are under way, whenever that changes. */
const observedPool = (functionName: string, pool: FunctionPool, events: FunctionEmitter): FunctionPool => {
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
const observedProcess = (functionName: string, process: FunctionProcess, events: FunctionEmitter): FunctionProcess => ({
  ...process,
  invoke: async (...invocation) => {
    const startedMs = performance.now();
    const outcome = await process.invoke(...invocation);
    const durationMs = performance.now() - startedMs;
    events.emit('invocation', { functionName, durationMs, hasFailed: outcome.kind === 'failure' });
    return outcome;
  },
});
