import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { Command as Program } from 'commander';
import { replicaNamesOf } from '../../config/regions.ts';
import type { StageConfig } from '../../config/schema.ts';
import type { AuditContext } from '../../lambdas/data/audit.ts';
import type { Account, Connection, Target } from '../connection/connection.ts';
import { OperatorError } from '../error.ts';
import { type Level, print } from './output.ts';

/** What is the same for every command of a run, from its command line. */
export type RunOptions = {
  readonly stage?: string | undefined;
  readonly profile?: string | undefined;
  readonly local?: boolean;
  readonly directory?: string | undefined;
  /** The `--reason`, which only changes have. */
  readonly reason?: string | undefined;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
};

/** What a command works with. Stage, configuration and connection are looked for when they are first asked for. */
export type OperatorContext = {
  readonly stage: string;
  readonly config: StageConfig;
  /** The same connection each time. */
  readonly connect: () => Promise<Connection>;
  /** The account of the stage, which is there before the stage. */
  readonly openAccount: () => Promise<Account>;
  /** When the run began. */
  readonly nowMs: number;
  readonly isDryRun: boolean;
  /** What the audit log is to say of a change to a company; the user's id where it touches what is theirs. */
  readonly auditContext: (companyId: string, userId?: string) => Promise<AuditContext>;
  /** Shows what is about to be done and asks for the name, where that cannot be undone; throws if the answer is another. */
  readonly confirm: (shown: string) => Promise<void>;
  /** A line for the person, on stderr. */
  readonly talk: (line: string, level?: Level) => void;
  readonly host: Host;
  /** The whole command line. */
  readonly program: Program;
};

type Command = {
  readonly operation: string;
  readonly nameToType: string | undefined;
  readonly program: Program;
};

export const createContext = (
  host: Host,
  options: RunOptions,
  { operation, nameToType, program }: Command,
): OperatorContext & { readonly close: () => Promise<void> } => {
  const nowMs = host.nowMs();
  const requestId = randomUUID();
  let connection: Promise<Connection> | undefined;
  let config: StageConfig | undefined;
  const context = {
    get stage() {
      return stageOf(options);
    },
    get config() {
      config ??= loadConfig(host, context.stage);
      return config;
    },
    connect: () => {
      connection ??= host.connect(targetOf(context, options));
      return connection;
    },
    openAccount: () => host.openAccount(targetOf(context, options)),
    nowMs,
    isDryRun: options.dryRun ?? false,
    auditContext: async (companyId: string, userId?: string): Promise<AuditContext> => {
      const { operator } = await context.connect();
      return { companyId, nowMs, requestId, operation, actorKey: null, operator, reason: options.reason, userId };
    },
    confirm: async (shown: string) => {
      if (nameToType !== undefined && !options.yes) await confirmByTyping(host, shown, nameToType);
    },
    talk: (line: string, level?: Level) => print(host.stderr, `${line}\n`, level),
    host,
    program,
    close: async () => (await connection?.catch(() => undefined))?.close(),
  };
  return context;
};

/** Throws if the configuration of the stage, which says where it runs, cannot be read. */
const targetOf = ({ stage, config }: Pick<OperatorContext, 'stage' | 'config'>, options: RunOptions): Target => {
  const { account, region, replicas } = config;
  const { local: isLocal = false, directory, profile } = options;
  return { stage, isLocal, directory, account, region, replicaNames: replicaNamesOf(replicas), profile };
};

const stageOf = ({ stage, local, directory }: RunOptions): string => {
  if (directory !== undefined && !local)
    throw new OperatorError('usage', '--directory names the folder of a local run: add --local.');
  if (local && stage !== undefined && stage !== 'local')
    throw new OperatorError('usage', `--local is the stage "local", not "${stage}": leave out one of the two.`);
  if (local) return 'local';
  if (stage === undefined)
    throw new OperatorError('usage', 'Which stage? Add --stage <name>, or --local for the demo world of npm start.');
  return stage;
};

const loadConfig = (host: Host, stage: string): StageConfig => {
  try {
    return host.loadConfig(stage);
  } catch (error) {
    throw new OperatorError('usage', (error as Error).message);
  }
};

/** What the program runs on: the terminal, the clock, the folder, the way to a stage. */
export type Host = {
  readonly stdin: Readable;
  /** Data only. */
  readonly stdout: Writable;
  /** Talk: questions, progress, explanations. */
  readonly stderr: Writable;
  /** Whether a person sits at stdin, stdout and stderr and can be asked. */
  readonly isTerminal: boolean;
  readonly nowMs: () => number;
  /** The folder of files that are named by a relative path. */
  readonly directory: string;
  /** The folder in which the synth leaves the functions' source maps, and into which a fetched one goes. */
  readonly sourceMapsDirectory: string;
  readonly loadConfig: (stage: string) => StageConfig;
  readonly connect: (target: Target) => Promise<Connection>;
  readonly openAccount: (target: Target) => Promise<Account>;
};

/** Returns once the name was typed; throws if something else was, or where nobody sits at the terminal. */
const confirmByTyping = async ({ stdin, stderr, isTerminal }: Host, shown: string, name: string): Promise<void> => {
  if (!isTerminal)
    throw new OperatorError('usage', 'This cannot be undone, and nobody can be asked here. Add --yes to do it.');
  print(stderr, `${shown}\n`);
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    // Ctrl-C, or the end of the input, closes the interface and leaves the question without an answer.
    const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    const answer = await Promise.race([terminal.question(`This cannot be undone. Type ${name} to do it: `), ended]);
    if (answer.trim() !== name) throw new OperatorError('refused', `That is not ${name}. Nothing was changed.`);
  } finally {
    terminal.close();
  }
};
