import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { loadStageConfig, loadTrialConfig } from '../config/load.ts';
import type { Host } from './cli/context.ts';
import { connectToAws, openAwsAccount } from './connection/aws.ts';
import { connectToLocalRun } from './connection/local.ts';
import { readTrialPlace } from './connection/stack.ts';

/** Returns the terminal, clock and working directory of this machine, and the functions that connect to a stage. */
export const operatorHost = (): Host => {
  const { stdin, stdout, stderr } = process;
  return {
    stdin,
    stdout,
    stderr,
    isTerminal: Boolean(stdin.isTTY && stdout.isTTY && stderr.isTTY),
    nowMs: Date.now,
    wait: (milliseconds) => setTimeout(milliseconds),
    directory: process.cwd(),
    sourceMapsDirectory: join(import.meta.dirname, '../.build/source-maps'),
    loadConfig: (stage) => loadStageConfig(stage),
    findTrial: async (stage, profile) => {
      const place = await readTrialPlace(stage, profile);
      return () => loadTrialConfig(stage, place);
    },
    openAccount: async (target) => (target.isLocal ? {} : openAwsAccount(target)),
    connect: (target) =>
      target.isLocal ? connectToLocalRun(resolve(target.directory ?? '.local')) : connectToAws(target),
  };
};
