import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { apartFromTerminal, endWithThisProcess, hasEnded, stopChild } from '../host/processes.ts';
import { closeServer, listenerOf, listenOnLoopback } from '../host/servers.ts';
import { type FunctionDefinition, logStreamOf } from './function-definitions.ts';

/** Hosts of the internet that a run replaces on this machine. */
export type OutsideHosts = {
  /** The local port of each host, by its name. Functions reach the host at port 443 of that name. */
  readonly ports: Readonly<Record<string, number>>;
  /** The file with the certificate authority of their certificates. */
  readonly caFile: string;
};

/** What running a function requires: its definition in the template, and the places of its code and its log on this machine. */
type Options = {
  readonly arn: string;
  /** `LAMBDA_TASK_ROOT`: the folder with the bundled code. */
  readonly taskRoot: string;
  readonly limits: TimeLimits;
  /** The factor by which this machine is assumed to be slower than Lambda's. */
  readonly timeFactor: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly outside?: OutsideHosts | undefined;
  /** The port of the Node.js inspector, if it is enabled. */
  readonly inspectorPort?: number | undefined;
};

export type FunctionProcess = {
  readonly invoke: (event: string, traceId: string, invokedArn?: string) => Promise<Outcome>;
  readonly isAlive: () => boolean;
  readonly stop: () => Promise<void>;
};

const bootstrap = join(import.meta.dirname, 'bootstrap.mjs');

/** Starts a process of the function. It inherits no environment variables of this process. */
export const startFunctionProcess = async ({
  arn,
  taskRoot,
  limits,
  timeFactor,
  environment,
  logFile,
  outside,
  inspectorPort,
}: Options): Promise<FunctionProcess> => {
  const log = openSync(logFile, 'a');
  const runtimeApi = await startRuntimeApi(limits);
  const inspect = inspectorPort === undefined ? [] : [`--inspect=127.0.0.1:${inspectorPort}`];
  const ports = outside ? [JSON.stringify(outside.ports)] : [];
  const child = spawn(process.execPath, [...inspect, bootstrap, String(timeFactor), ...ports], {
    cwd: taskRoot,
    env: {
      ...environment,
      AWS_LAMBDA_RUNTIME_API: runtimeApi.address,
      ...(outside && { NODE_EXTRA_CA_CERTS: outside.caFile }),
    },
    stdio: ['ignore', log, log],
    ...apartFromTerminal,
  });
  closeSync(log);
  if (child.pid === undefined) {
    const [error] = await once(child, 'error');
    await runtimeApi.close();
    throw error;
  }
  endWithThisProcess(child);
  const ended = once(child, 'close').then(([exitCode, signal]) => {
    runtimeApi.loseProcess(`its process ended with ${signal ?? `exit code ${exitCode}`}`);
    return runtimeApi.close();
  });

  const stop = async () => {
    await stopChild(child, 'SIGKILL');
    await ended;
  };
  return {
    invoke: async (event, traceId, invokedArn = arn) => {
      const outcome = await runtimeApi.invoke(event, traceId, invokedArn);
      if (outcome.kind === 'failure' && outcome.processIsLost) await stop();
      return outcome;
    },
    isAlive: () => !hasEnded(child),
    stop,
  };
};

/** The outcome of an invocation: the handler's result, or a failure, in which the process may have been lost. */
export type Outcome =
  | { readonly kind: 'answer'; readonly payload: string }
  | { readonly kind: 'failure'; readonly reason: string; readonly processIsLost: boolean };

type RuntimeApi = {
  /** The address of the Runtime API for the process: `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /** Passes an event to the process; one at a time. */
  readonly invoke: (event: string, traceId: string, invokedArn: string) => Promise<Outcome>;
  /** Reports that the process has ended, which ends the current invocation. */
  readonly loseProcess: (reason: string) => void;
  readonly close: () => Promise<void>;
};

type Pending = {
  readonly requestId: string;
  readonly event: string;
  readonly traceId: string;
  readonly invokedArn: string;
  readonly resolve: (outcome: Outcome) => void;
};

/** The time limits until a function requests its first event, and then for each event. */
type TimeLimits = { readonly initializationMs: number; readonly invocationMs: number };

/** Starts the Lambda Runtime API for one process of a function, with limits on its time. */
const startRuntimeApi = async (limits: TimeLimits): Promise<RuntimeApi> => {
  let waitingProcess: ServerResponse | undefined;
  let pending: Pending | undefined;
  let limit: NodeJS.Timeout | undefined;

  const limitTo = (ms: number, reason: string) => {
    clearTimeout(limit);
    limit = setTimeout(loseProcess, ms, reason);
  };

  const deliver = () => {
    if (!waitingProcess || !pending) return;
    limitTo(limits.invocationMs, `it timed out after ${limits.invocationMs / 1000} s`);
    waitingProcess.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': pending.requestId,
      'lambda-runtime-deadline-ms': Date.now() + limits.invocationMs,
      'lambda-runtime-invoked-function-arn': pending.invokedArn,
      'lambda-runtime-trace-id': pending.traceId,
    });
    waitingProcess.end(pending.event);
    waitingProcess = undefined;
  };

  const settle = (outcome: Outcome) => {
    clearTimeout(limit);
    pending?.resolve(outcome);
    pending = undefined;
  };

  const loseProcess = (reason: string) => settle({ kind: 'failure', reason, processIsLost: true });

  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const body = await text(incoming);
    const path = incoming.url?.replace('/2018-06-01/runtime/', '');
    if (incoming.method === 'GET' && path === 'invocation/next') {
      waitingProcess = answer;
      return deliver();
    }
    if (path === 'init/error') loseProcess(`its initialization failed: ${errorMessageOf(body)}`);
    else if (path === `invocation/${pending?.requestId}/response`) settle({ kind: 'answer', payload: body });
    else if (path === `invocation/${pending?.requestId}/error`)
      settle({ kind: 'failure', reason: `its handler threw: ${errorMessageOf(body)}`, processIsLost: false });
    else return answer.writeHead(404).end();
    return answer.writeHead(202).end();
  };

  // A handler may take any time, and answers on the connection that delivered the event.
  const server = createServer({ keepAliveTimeout: 0 }, listenerOf(serve));
  return {
    address: await listenOnLoopback(server),
    invoke: (event, traceId, invokedArn) =>
      new Promise((resolve) => {
        pending = { requestId: randomUUID(), event, traceId, invokedArn, resolve };
        limitTo(limits.initializationMs, `its initialization took longer than ${limits.initializationMs / 1000} s`);
        deliver();
      }),
    loseProcess,
    close: () => closeServer(server),
  };
};

const errorMessageOf = (body: string): string => JSON.parse(body).errorMessage;

type Place = { readonly taskRoot: string; readonly region: string; readonly accessKeyId: string };

/** Returns the variables that Lambda itself sets, except the paths into its image. */
export const lambdaEnvironment = (
  { name, version, handler, runtime, memoryMegabytes, logGroup }: FunctionDefinition,
  { taskRoot, region, accessKeyId }: Place,
): Record<string, string> => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_DEFAULT_REGION: region,
  AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_VERSION: version,
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: logGroup,
  AWS_LAMBDA_LOG_STREAM_NAME: logStreamOf({ name, version }) + randomBytes(16).toString('hex'),
  AWS_REGION: region,
  AWS_SECRET_ACCESS_KEY: randomBytes(30).toString('base64'),
  AWS_SESSION_TOKEN: randomBytes(48).toString('base64'),
  LAMBDA_TASK_ROOT: taskRoot,
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
  _HANDLER: handler,
});

/** The SDK's variable for the endpoint of DynamoDB. Without it, the SDK would call the real DynamoDB. */
export const storeEndpointVariable = 'AWS_ENDPOINT_URL_DYNAMODB';

/** Returns a new trace header in AWS's format. */
export const traceIdAt = (atMs: number): string =>
  `Root=1-${Math.floor(atMs / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
