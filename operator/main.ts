#!/usr/bin/env node
import { operatorHost } from './host.ts';
import { runOperator } from './run.ts';

const { stdout } = process;

// A reader that has seen enough (`| head`) closes the pipe.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runOperator(process.argv.slice(2), operatorHost());
