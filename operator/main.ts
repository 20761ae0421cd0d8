#!/usr/bin/env node
import { bypassProxyOnLoopback } from 'serve-stack/loopback';
import { ignoreClosedPipes, print } from './cli/output.ts';
import { exitCodes } from './error.ts';
import { operatorHost } from './host.ts';
import { runOperator } from './run.ts';

bypassProxyOnLoopback();
ignoreClosedPipes((reason) => {
  process.exitCode = exitCodes.error.code;
  print(
    process.stderr,
    `The output could not be written (${reason}). Its changes have been made all the same: see audit list.\n`,
    'error',
  );
});

const exitCode = await runOperator(process.argv.slice(2), operatorHost());
process.exitCode ||= exitCode;
