import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { DynamoDbProxy } from '../dynamodb/dynamodb-proxy.ts';
import { principalInRole } from '../iam/principals.ts';
import type { Resolve } from '../template/intrinsics.ts';
import type { Stack } from '../template/stack.ts';
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
  /** The environment variables with which the SDK finds services other than DynamoDB. */
  readonly endpointVariables?: Readonly<Record<string, string>>;
  /** The folder for a copy of the code, outside the repository, so that a module that the bundle lacks is not found. */
  readonly codeDirectory: string;
  readonly logsDirectory: string;
  readonly outside?: OutsideHosts | undefined;
  readonly events?: FunctionEmitter;
  /** The factor by which this machine is assumed to be slower than Lambda's; all time limits are longer by this factor. */
  readonly timeFactor?: number | undefined;
  /** The function, by its ARN, that runs in a single process with the Node.js inspector on this port. */
  readonly inspected?: { readonly arn: string; readonly port: number } | undefined;
};

/** The most processes per function. Lambda would start as many as necessary, but all functions share this machine's memory. */
const maxProcesses = 2;

/** Lambda's time limit until a function requests its first event. */
const initializationLimitMs = 10_000;

/** Practically no time limit under a debugger. */
const limitWhenInspectedMs = 24 * 3_600_000;

/** Prepares the template's functions for invocation, each by its own ARN and those of its version and aliases. */
export const createFunctions = (stack: Stack, options: Options): ReadonlyMap<string, FunctionPool> =>
  new Map(
    readFunctions(stack.template, options.resolve).flatMap((definition) => {
      const pool = createFunction(stack, definition, options);
      const qualified = definition.qualifiedArns.map((arn) => [arn, invokedAs(arn, pool)] as const);
      return [[definition.arn, pool], ...qualified];
    }),
  );

/** Returns a pool with the same processes that is invoked under another ARN. */
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
  /** Invokes the function. The handler's context contains `invokedArn`, by default the function's own ARN. */
  readonly invoke: (event: string, traceId: string, invokedArn?: string) => Promise<Outcome>;
  /** Starts a process for the next event. */
  readonly start: () => Promise<void>;
  /** Ends the processes at once. Current events and all later ones fail. */
  readonly close: () => Promise<void>;
  /** Ends the processes when they have answered their events. */
  readonly drain: () => Promise<void>;
};

/** The process may still be starting. */
type Slot = { process?: Promise<FunctionProcess> };

/** Passes each event to a free process, and starts processes as needed. Above the maximum, events wait. */
const createFunctionPool = (startProcess: () => Promise<FunctionProcess>, maxProcesses: number): FunctionPool => {
  const slots = Array.from({ length: maxProcesses }, (): Slot => ({}));
  const freeSlots = [...slots];
  const waiting: ((slot: Slot) => void)[] = [];
  let isClosed = false;

  // Takes the slot that was freed last, since its process is warm.
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

/** Returns `undefined` if no process was started or its start failed. */
const processOf = ({ process }: Slot) => process?.catch(() => undefined);

export type FunctionEvents = {
  /** The number of current invocations of a function has changed. Invocations that wait for a process count. */
  concurrency: [{ readonly functionName: string; readonly underWay: number }];
  /** An invocation has ended; `durationMs` excludes the wait for a process. */
  invocation: [{ readonly functionName: string; readonly durationMs: number; readonly hasFailed: boolean }];
  /** A function received records of a stream; the last one was created at `lastRecordAtMs`. */
  streamBatch: [{ readonly functionName: string; readonly lastRecordAtMs: number }];
  /** A function received messages of a queue; the messages that did not fail were deleted. */
  queueBatch: [{ readonly queueName: string; readonly received: number; readonly deleted: number }];
};

export type FunctionEmitter = Pick<EventEmitter<FunctionEvents>, 'emit'>;

/** Emits the number of current invocations of the function whenever it changes. */
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

/** Emits the duration of each invocation, without the wait for a process. */
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
