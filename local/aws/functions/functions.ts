import { EventEmitter } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamoDbProxy } from '../dynamodb/dynamodb-proxy.ts';
import { principalInRole } from '../iam/role-policies.ts';
import type { TelemetryEmitter } from '../telemetry.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Stack, Template } from '../template/template.ts';
import { UserFacingError } from '../user-facing-error.ts';
import { lambdaEnvironment, storeEndpointVariable } from './function-environment.ts';
import { createFunctionPool, type FunctionPool } from './function-pool.ts';
import { startFunctionProcess } from './function-process.ts';
import { observedPool, observedProcess } from './observed-functions.ts';

type FunctionProperties = {
  readonly Code: { readonly S3Key: string };
  readonly Environment?: { readonly Variables?: Readonly<Record<string, string>> };
  readonly Handler: string;
  readonly LoggingConfig?: { readonly LogGroup?: string };
  readonly MemorySize?: number;
  readonly Role: string;
  readonly Runtime: string;
  readonly Timeout?: number;
};

const knownProperties = [
  ...['Code', 'Environment', 'Handler', 'LoggingConfig', 'MemorySize', 'Role', 'Runtime', 'Timeout'],
  // Of these a local run needs nothing: its processes have this machine's architecture and the function's ARN as name.
  ...['Architectures', 'Description', 'FunctionName', 'Tags'],
];
const lambdaDefaults = { MemorySize: 128, Timeout: 3 };

type Options = {
  readonly resolve: Resolve;
  readonly gate: DynamoDbProxy;
  /** Where the code is copied to: outside the repository, so that a module which the bundle forgot is not found. */
  readonly codeDirectory: string;
  readonly logsDirectory: string;
  readonly events?: TelemetryEmitter;
};

type FunctionResource = FunctionProperties & { readonly logicalId: string };

const readFunctions = (template: Template, resolve: Resolve): FunctionResource[] =>
  readResources(template, resolve, 'AWS::Lambda::Function', knownProperties);

/** Makes the template's functions ready to be invoked, each under its ARN. */
export const createFunctions = (stack: Stack, options: Options): ReadonlyMap<string, FunctionPool> =>
  new Map(
    readFunctions(stack.template, options.resolve).map((properties) => {
      const arn = options.resolve<string>({ 'Fn::GetAtt': [properties.logicalId, 'Arn'] });
      return [arn, createFunction(stack, properties, arn, options)];
    }),
  );

/** Where each function logs to, by its name, which its log file in `logsDirectory` has too. */
export const readLogGroups = (template: Template, resolve: Resolve): ReadonlyMap<string, string> =>
  new Map(
    readFunctions(template, resolve).map((properties) => {
      const name = resolve<string>({ Ref: properties.logicalId });
      return [name, logGroupOf(properties, name)];
    }),
  );

const logGroupOf = ({ LoggingConfig }: FunctionProperties, name: string) =>
  LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`;

const createFunction = (
  stack: Stack,
  properties: FunctionResource,
  arn: string,
  { resolve, gate, codeDirectory, logsDirectory, events = new EventEmitter() }: Options,
): FunctionPool => {
  const { MemorySize, Timeout } = { ...lambdaDefaults, ...properties };
  const name = resolve<string>({ Ref: properties.logicalId });
  const taskRoot = join(codeDirectory, name);
  cpSync(assetPath(stack, properties.Code.S3Key), taskRoot, { recursive: true });

  const principal = principalInRole(stack, resolve, properties.Role, name);
  const facts = {
    name,
    taskRoot,
    handler: properties.Handler,
    memoryMegabytes: MemorySize,
    runtime: properties.Runtime,
    logGroup: logGroupOf(properties, name),
  };
  const startProcess = async () => {
    const process = await startFunctionProcess({
      arn,
      taskRoot,
      timeoutMs: Timeout * 1000,
      logFile: join(logsDirectory, `${name}.log`),
      environment: {
        ...properties.Environment?.Variables,
        ...lambdaEnvironment(facts, gate.issueAccessKeyId(principal)),
        [storeEndpointVariable]: gate.endpoint,
      },
    });
    return observedProcess(name, process, events);
  };
  return observedPool(name, createFunctionPool(startProcess), events);
};

const assetPath = ({ assetPaths }: Stack, objectKey: string): string => {
  const path = assetPaths.get(objectKey);
  if (path) return path;
  throw new UserFacingError(`The cloud assembly has no asset ${objectKey}, which a function's code refers to.`);
};
