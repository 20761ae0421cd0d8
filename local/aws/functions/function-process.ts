import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { endWithThisProcess, stopChild } from '../child-process.ts';
import { type Outcome, startRuntimeApi } from './runtime-api.ts';

/** What it takes to run a function: its part of the template, and where its code and its log are on this machine. */
export type FunctionDefinition = {
  readonly arn: string;
  /** `LAMBDA_TASK_ROOT`: the folder with the bundled code. */
  readonly taskRoot: string;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
};

export type FunctionProcess = {
  readonly invoke: (event: string, traceId: string) => Promise<Outcome>;
  readonly isAlive: () => boolean;
  readonly stop: () => Promise<void>;
};

const bootstrap = join(import.meta.dirname, 'bootstrap.mjs');

/** Starts a process of the function; nothing of this process's own environment reaches it. */
export const startFunctionProcess = async ({
  arn,
  taskRoot,
  timeoutMs,
  environment,
  logFile,
}: FunctionDefinition): Promise<FunctionProcess> => {
  const runtimeApi = await startRuntimeApi(arn, timeoutMs);
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [bootstrap], {
    cwd: taskRoot,
    env: { ...environment, AWS_LAMBDA_RUNTIME_API: runtimeApi.address },
    stdio: ['ignore', log, log],
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
    invoke: async (event, traceId) => {
      const outcome = await runtimeApi.invoke(event, traceId);
      if (outcome.kind === 'failure' && outcome.processIsLost) await stop();
      return outcome;
    },
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stop,
  };
};
