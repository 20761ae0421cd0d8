/** Ends the program with its exit code. The message says what happened and what to do; it is shown without a stack trace. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly exitCode: Exclude<ExitCode, 'ok'>;

  constructor(exitCode: Exclude<ExitCode, 'ok'>, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Exit codes: the outcomes that a script can distinguish. `--help` lists them. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done, or nothing to do' },
  error: { code: 1, meaning: 'a fault of the program or its environment' },
  drift: { code: 2, meaning: 'a check found a difference' },
  usage: { code: 3, meaning: 'the command line or the configuration is wrong; nothing was done' },
  'not-found': { code: 4, meaning: 'a named item does not exist' },
  conflict: { code: 5, meaning: 'a concurrent change; check the state, and run the command again' },
  refused: { code: 6, meaning: 'a rule forbids the command, or the listed part of it' },
  unavailable: { code: 7, meaning: 'AWS or the local run did not respond; run the command again later' },
} as const satisfies Record<string, { readonly code: number; readonly meaning: string }>;

export type ExitCode = keyof typeof exitCodes;

/** Returns the help text of the exit codes. `exits` replaces the meaning of some of them for one command. */
export const exitCodesHelp = (exits: Readonly<Partial<Record<ExitCode, string>>> = {}): string =>
  [
    'Exit codes:',
    ...Object.entries(exitCodes).map(
      ([name, { code, meaning }]) => `  ${code}  ${name}: ${exits[name as ExitCode] ?? meaning}`,
    ),
  ].join('\n');
