import type { ExitCode } from './exit-codes.ts';

/** Ends the program with that code. Its message says what happened and what to do, and is shown without a stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly exitCode: Exclude<ExitCode, 'ok'>;

  constructor(exitCode: Exclude<ExitCode, 'ok'>, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
