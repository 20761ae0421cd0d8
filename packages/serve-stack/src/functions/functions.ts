import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { DynamoDbProxy } from '../dynamodb/dynamodb-proxy.ts';
import { principalInRole } from '../iam/principal.ts';
import type { Resolve } from '../template/intrinsics.ts';
import type { Stack } from '../template/template.ts';
import { unpackCode } from './function-code.ts';
import { type FunctionDefinition, readFunctions } from './function-definitions.ts';
import { lambdaEnvironment, storeEndpointVariable } from './function-environment.ts';
import { createFunctionPool, type FunctionPool } from './function-pool.ts';
import { type OutsideHosts, startFunctionProcess } from './function-process.ts';
import { type FunctionEmitter, observedPool, observedProcess } from './function-telemetry.ts';

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
