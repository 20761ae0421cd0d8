import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { apartFromTerminal, endWithThisProcess, stopChild } from '../host/child-process.ts';
import { type Outcome, startRuntimeApi, type TimeLimits } from './runtime-api.ts';

/** Hosts of the internet that a run has on this machine. */
export type OutsideHosts = {
  /** The port of each, by its name. Functions reach them at port 443 of that name. */
  readonly ports: Readonly<Record<string, number>>;
  /** The authority of their certificates. */
  readonly caFile: string;
};

/** Holds what it takes to run a function: its part of the template, and where its code and its log are on this machine. */
type Options = {
  readonly arn: string;
  /** `LAMBDA_TASK_ROOT`: the folder with the bundled code. */
  readonly taskRoot: string;
  readonly limits: TimeLimits;
  /** How many times slower than Lambda's this machine is taken to be. */
  readonly timeFactor: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly outside?: OutsideHosts | undefined;
  /** The port on which the inspector of Node.js listens, if it does. */
  readonly inspectorPort?: number | undefined;
};

export type FunctionProcess = {
  readonly invoke: (event: string, traceId: string, invokedArn?: string) => Promise<Outcome>;
  readonly isAlive: () => boolean;
  readonly stop: () => Promise<void>;
};

const bootstrap = join(import.meta.dirname, 'bootstrap.mjs');

/** Starts a process of the function; nothing of this process's own environment reaches it. */
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
  const runtimeApi = await startRuntimeApi(limits);
  const log = openSync(logFile, 'a');
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
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stop,
  };
};
