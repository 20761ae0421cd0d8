#!/usr/bin/env node
import { print } from './cli/output.ts';
import { exitCodes } from './error.ts';
import { operatorHost } from './host.ts';
import { runOperator } from './run.ts';

const { stdout, stderr } = process;

// A reader such as `| head` closes the pipe early. That is no error: the command has already made its change.
stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return;
  process.exitCode = exitCodes.error.code;
  print(
    stderr,
    `The output could not be written (${message}). Its changes have been made all the same: see audit list.\n`,
    'error',
  );
});
// An error of stderr cannot be reported anywhere.
stderr.on('error', () => undefined);

const exitCode = await runOperator(process.argv.slice(2), operatorHost());
process.exitCode ||= exitCode;
