import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { print } from '../../operator/cli/output.ts';
import { OperatorError } from '../../operator/error.ts';
import { cdkCli } from '../cdk-cli.ts';

type Options = {
  /** The checkout whose CDK CLI and app are run. */
  readonly root: string;
  /** Takes what it puts out, line by line or in parts. */
  readonly print: (text: string) => void;
  /** Keeps back what it says unless it fails: its words are of a whole deployment, and this is a part of one. */
  readonly isQuiet?: boolean;
};

/** Runs the CDK CLI; throws if it fails. What it says is on the terminal by then. */
export const runCdk = async (options: readonly string[], { root, print, isQuiet = false }: Options): Promise<void> => {
  const keptBack: string[] = [];
  const put = isQuiet ? (text: string) => void keptBack.push(text) : print;
  const { command, arguments: commandLine, environment } = cdkCli([...options, '--no-notices'], root);
  const child = spawn(command, commandLine, {
    cwd: root,
    // Without a terminal, it prints lines; CI sends them all to stdout.
    env: { ...environment, CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', put);
  const [exitCode] = await once(child, 'close');
  if (exitCode === 0) return;
  print(keptBack.join(''));
  throw new Refusal(`cdk ${options[0]} ended with exit code ${exitCode}; it has said why above.`);
};

const notFound = 127;

/** Runs a program to its end; gives what it put out. One that is not there has the exit code that shells give it. */
export const run = async (command: string, options: readonly string[], cwd: string) => {
  const child = spawn(command, options, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = (once(child, 'close') as Promise<[number | null]>).catch((): [number] => [notFound]);
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { exitCode, output: exitCode === notFound ? `${command} is not installed.` : stdout + stderr };
};

/** Runs a program; prints why it failed, and with a stack only if the fault is in the program itself. */
export const runProgram = async (program: Command): Promise<void> => {
  try {
    await program.parseAsync();
  } catch (error) {
    const isSentence = error instanceof Refusal || error instanceof OperatorError;
    print(process.stderr, `${isSentence ? error.message : (error as Error).stack}\n`);
    process.exitCode = 1;
  }
};

/** Why a stage is not deployed, and what to do, in sentences for the person who deploys. */
export class Refusal extends Error {}
