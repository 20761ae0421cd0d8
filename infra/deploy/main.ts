#!/usr/bin/env node
import { print } from '../../operator/cli/output.ts';
import { OperatorError } from '../../operator/error.ts';
import { createDeployProgram } from './program.ts';
import { Refusal } from './run.ts';

try {
  await createDeployProgram().parseAsync();
} catch (error) {
  const isSentence = error instanceof Refusal || error instanceof OperatorError;
  print(process.stderr, `${isSentence ? (error as Error).message : (error as Error).stack}\n`);
  process.exitCode = 1;
}
