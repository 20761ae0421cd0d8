import { CommanderError, type Command as Program } from 'commander';
import { isTrial } from '../config/trial.ts';
import { isStoreUnavailable } from '../lambdas/data/store/attempts.ts';
import { type AnyCommand, nameOf } from './cli/command.ts';
import { createContext, type Host, type RunOptions } from './cli/context.ts';
import { optionNamesOf, optionTakenByNpm } from './cli/npm-options.ts';
import { print, printJson, printView } from './cli/output.ts';
import { createProgram, readInput } from './cli/program.ts';
import { roleNameOf, roleOf } from './cli/roles.ts';
import { commands } from './commands.ts';
import { type ExitCode, exitCodes, OperatorError } from './error.ts';

type Written = RunOptions & { readonly output: 'table' | 'json' } & Readonly<Record<string, unknown>>;

/** Runs one command line, given without the program's name. Resolves to the exit code. */
export const runOperator = async (argv: readonly string[], host: Host): Promise<number> => {
  let exitCode: ExitCode = 'ok';
  try {
    refuseKeys(argv);
    const program = createProgram(commands, host, async (command, written) => {
      exitCode = await execute(host, program, command, written as Written);
    });
    const taken = optionTakenByNpm(optionNamesOf(program), argv);
    if (taken) throw new OperatorError('usage', taken);
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    exitCode = explain(error, host);
  }
  return exitCodes[exitCode].code;
};

/** All users of the machine can see arguments, and the shell's history keeps them. */
const refuseKeys = (argv: readonly string[]) => {
  if (argv.some((argument) => argument.includes('xHCSAPI_')))
    throw new OperatorError(
      'usage',
      'An argument contains an API key. Other users of this machine may have seen it, and the shell history keeps it: revoke it. Pass keys on standard input only.',
    );
};

const execute = async (host: Host, program: Program, command: AnyCommand, written: Written): Promise<ExitCode> => {
  const input = readInput(command, written);
  if (command.changes && !command.changesNothing?.(input)) requireReason(written);
  const context = createContext(await hostOf(host, command, written), written, {
    operation: nameOf(command),
    isShownToCompany: command.shownToCompany ?? false,
    nameToType: command.confirmedBy?.(input),
    program,
  });
  try {
    const output = command.output.parse(await command.run(context, input));
    if (written.output === 'json') printJson(host.stdout, output);
    else printView(host.stdout, command.view(output));
    return command.exitCode?.(output) ?? 'ok';
  } catch (error) {
    throw explainDenial(command, context.stage, error as Error);
  } finally {
    await context.close();
  }
};

/** Returns the host, which loads the configuration of a trial only after its stack was found. */
const hostOf = async (host: Host, command: AnyCommand, { stage, local, profile }: Written): Promise<Host> => {
  if (stage === undefined || local || !isTrial(stage)) return host;
  try {
    return { ...host, loadConfig: await host.findTrial(stage, profile) };
  } catch (error) {
    throw explainDenial(command, stage, error as Error);
  }
};

const explainDenial = (command: AnyCommand, stage: string, error: Error): Error =>
  error.name.startsWith('AccessDenied') ? notAllowed(command, stage, error) : error;

const notAllowed = (command: AnyCommand, stage: string, { message }: Error) => {
  if (isTrial(stage))
    return new OperatorError(
      'refused',
      `AWS denied access (${message}). A trial has no roles for operators: use the credentials that deployed it, or name a --profile of an administrator of the account.`,
    );
  const role = roleOf(command) ?? 'reader';
  return new OperatorError(
    'refused',
    `AWS denied access (${message}). ${nameOf(command)} needs the role ${roleNameOf(stage, role)}. Name a --profile that assumes it; operators.${role}Principals in config/${stage}.json lists who may assume it.`,
  );
};

const requireReason = ({ reason, dryRun }: RunOptions) => {
  if (!dryRun && !reason?.trim())
    throw new OperatorError('usage', 'The audit log keeps the reason of every change: add --reason "<why>".');
};

/** Writes the error to stderr, unless commander threw it, which has written it already. Returns the exit code. */
const explain = (error: unknown, host: Host): ExitCode => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'ok' : 'usage';
  const [exitCode, text] = explanationOf(error);
  print(host.stderr, `${text}\n`, 'error');
  return exitCode;
};

const explanationOf = (error: unknown): readonly [ExitCode, string] => {
  if (error instanceof OperatorError) return [error.exitCode, error.message];
  const { name, message, stack, code } = error as NodeJS.ErrnoException;
  if (name === 'CredentialsProviderError' || name.startsWith('ExpiredToken') || name === 'InvalidClientTokenId')
    return ['unavailable', `AWS does not accept the credentials (${message}). Log in, or name another --profile.`];
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return ['error', `A file could not be written (${message}). Free some space, and run again.`];
  if (error instanceof Error && 'path' in error) return ['usage', `A file cannot be read or written: ${message}`];
  // API Gateway and Lambda throttle with TooManyRequestsException, which the store does not use.
  if (isStoreUnavailable(error) || name === 'TooManyRequestsException')
    return [
      'unavailable',
      `AWS, or the local store, did not respond as expected (${name}: ${message}). Run the same command again.`,
    ];
  return [
    'error',
    `This is a bug in the program. Each change is made completely or not at all; run again, or report this:\n${stack}`,
  ];
};
