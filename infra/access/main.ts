#!/usr/bin/env node
import { print } from '../../operator/cli/output.ts';
import { OperatorError } from '../../operator/error.ts';
import { Refusal } from '../deploy/run.ts';
import { createAccessProgram } from './program.ts';

try {
  await createAccessProgram().parseAsync();
} catch (error) {
  const isSentence = error instanceof Refusal || error instanceof OperatorError;
  print(process.stderr, `${isSentence ? (error as Error).message : (error as Error).stack}\n`);
  process.exitCode = 1;
}
