import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { optionNamesOf, optionTakenByNpm } from '../../operator/cli/npm-options.ts';
import { ignoreClosedPipes, print } from '../../operator/cli/output.ts';
import { OperatorError } from '../../operator/error.ts';
import { cdkCli } from '../cdk-cli.ts';

type Options = {
  /** The checkout whose CDK CLI and app are run. */
  readonly root: string;
  /** Receives the output, line by line or in parts. */
  readonly print: (text: string) => void;
  /** Holds the output back unless the CLI fails: the output reads like a whole deployment, and this run is a part of one. */
  readonly isQuiet?: boolean;
};

/** Runs the CDK CLI. Throws a Refusal if the CLI fails, after its output was printed. */
export const runCdk = async (options: readonly string[], { root, print, isQuiet = false }: Options): Promise<void> => {
  const keptBack: string[] = [];
  const put = isQuiet ? (text: string) => void keptBack.push(text) : print;
  const { command, arguments: commandLine, environment } = cdkCli([...options, '--no-notices'], root);
  const child = spawn(command, commandLine, {
    cwd: root,
    // Without a terminal, the CLI prints lines. `CI` makes it write all of them to stdout.
    env: { ...environment, CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', put);
  const [exitCode] = await once(child, 'close');
  if (exitCode === 0) return;
  print(keptBack.join(''));
  throw new Refusal(`cdk ${options[0]} ended with exit code ${exitCode}; see its output above.`);
};

const notFound = 127;

/**
 * Runs a program to its end and returns its exit code and its output. The exit code is 127, as in shells, if the program does
 * not exist.
 */
export const run = async (command: string, options: readonly string[], cwd: string) => {
  const child = spawn(command, options, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = (once(child, 'close') as Promise<[number | null]>).catch((): [number] => [notFound]);
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { exitCode, output: exitCode === notFound ? `${command} is not installed.` : stdout + stderr };
};

/**
 * Runs a program. If it fails, prints the reason, with a stack trace only for a fault of the program itself, and sets exit code
 * 1.
 */
export const runProgram = async (program: Command): Promise<void> => {
  ignoreClosedPipes();
  try {
    const taken = optionTakenByNpm(optionNamesOf(program), process.argv);
    if (taken) throw new Refusal(taken);
    await program.parseAsync();
  } catch (error) {
    const isSentence = error instanceof Refusal || error instanceof OperatorError;
    print(process.stderr, `${isSentence ? error.message : (error as Error).stack}\n`);
    process.exitCode = 1;
  }
};

/** Why a stage is not deployed, and what to do, in sentences for the person who deploys. */
export class Refusal extends Error {}
