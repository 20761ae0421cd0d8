#!/usr/bin/env node
import { join, resolve } from 'node:path';
import { loadStageConfig } from '../config/load.ts';
import type { Host } from './cli/host.ts';
import { connectToAws } from './connection/aws.ts';
import { connectToLocalRun } from './connection/local.ts';
import { runOperator } from './run.ts';

const { stdin, stdout, stderr } = process;

// A reader that has seen enough (`| head`) closes the pipe.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const host: Host = {
  stdin,
  stdout,
  stderr,
  isTerminal: Boolean(stdin.isTTY && stdout.isTTY && stderr.isTTY),
  nowMs: Date.now,
  directory: process.cwd(),
  sourceMapsDirectory: join(import.meta.dirname, '../.build/source-maps'),
  loadConfig: (stage) => loadStageConfig(stage),
  connect: (target) => (target.isLocal ? connectToLocalRun(resolve('.local')) : connectToAws(target)),
};

process.exitCode = await runOperator(process.argv.slice(2), host);
