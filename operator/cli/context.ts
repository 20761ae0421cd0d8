import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { Command as Program } from 'commander';
import type { StageConfig } from '../../config/schema.ts';
import type { AuditContext } from '../../lambdas/data/audit.ts';
import type { Account, Connection, Target } from '../connection/connection.ts';
import { OperatorError } from '../error.ts';
import { type Level, print } from './output.ts';

/** The options that all commands share. */
export type RunOptions = {
  readonly stage?: string | undefined;
  readonly profile?: string | undefined;
  readonly local?: boolean;
  readonly directory?: string | undefined;
  /** The value of `--reason`, which only changes take. */
  readonly reason?: string | undefined;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
};

/** What a command works with. Stage, configuration and connection are resolved at their first use. */
export type OperatorContext = {
  readonly stage: string;
  readonly config: StageConfig;
  /** Resolves to the same connection each time. */
  readonly connect: () => Promise<Connection>;
  /** Opens the account of the stage, which exists before the stage is deployed. */
  readonly openAccount: () => Promise<Account>;
  /** The start of the run, by the clock of this machine. */
  readonly nowMs: number;
  readonly isDryRun: boolean;
  /**
   * Resolves to the audit context of a change to a company, now by the service's clock: audit rows are ordered by time, and the
   * clock of this machine may be wrong. `userId` is the owner whose data the change concerns.
   */
  readonly auditContext: (companyId: string, userId?: string) => Promise<AuditContext>;
  /** For an irreversible change: shows it and asks for the name. Throws if the answer differs. */
  readonly confirm: (shown: string) => Promise<void>;
  /** Writes a line for the operator to stderr. */
  readonly talk: (line: string, level?: Level) => void;
  readonly host: Host;
  /** The whole command line. */
  readonly program: Program;
};

type Command = {
  readonly operation: string;
  readonly isShownToCompany: boolean;
  readonly nameToType: string | undefined;
  readonly program: Program;
};

export const createContext = (
  host: Host,
  options: RunOptions,
  { operation, isShownToCompany, nameToType, program }: Command,
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
      const { operator, readStoreTimeMs } = await context.connect();
      return {
        companyId,
        nowMs: await readStoreTimeMs(),
        requestId,
        operation,
        actorKey: null,
        operator,
        reason: options.reason,
        userId,
        ...(isShownToCompany && { shownToCompany: true }),
      };
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

/** Throws if the configuration of the stage, which has its account and region, cannot be read. */
const targetOf = ({ stage, config }: Pick<OperatorContext, 'stage' | 'config'>, options: RunOptions): Target => {
  const { account, region } = config;
  const { local: isLocal = false, directory, profile } = options;
  return { stage, isLocal, directory, account, region, profile };
};

const stageOf = ({ stage, local, directory }: RunOptions): string => {
  if (directory !== undefined && !local)
    throw new OperatorError('usage', '--directory names the folder of a local run: add --local.');
  if (local && stage !== undefined && stage !== 'local')
    throw new OperatorError('usage', `--local is the stage "local", not "${stage}": leave out one of the two.`);
  if (local) return 'local';
  if (stage === undefined)
    throw new OperatorError(
      'usage',
      'Which stage? Add --stage <name>, or --local for the demo world of npm start. With npm, options stand after "--": npm run operator -- company list --local',
    );
  return stage;
};

const loadConfig = (host: Host, stage: string): StageConfig => {
  try {
    return host.loadConfig(stage);
  } catch (error) {
    throw new OperatorError('usage', (error as Error).message);
  }
};

/** What the program runs on: terminal, clock, working directory, and the functions that connect to a stage. */
export type Host = {
  readonly stdin: Readable;
  /** Output data only. */
  readonly stdout: Writable;
  /** Questions, progress and explanations. */
  readonly stderr: Writable;
  /** Whether stdin, stdout and stderr are a terminal, so that a person can be asked. */
  readonly isTerminal: boolean;
  readonly nowMs: () => number;
  /** Resolves after this many milliseconds. */
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /** The folder to which relative paths refer. */
  readonly directory: string;
  /** The folder to which the synth writes the functions' source maps, and in which a downloaded source map belongs. */
  readonly sourceMapsDirectory: string;
  readonly loadConfig: (stage: string) => StageConfig;
  /** Finds a trial. Resolves to a function that loads its configuration, which the outputs of its stack complete. */
  readonly findTrial: (stage: string, profile?: string) => Promise<() => StageConfig>;
  readonly connect: (target: Target) => Promise<Connection>;
  readonly openAccount: (target: Target) => Promise<Account>;
};

/** Resolves when the name was typed. Throws if the answer differs, or if there is no terminal. */
const confirmByTyping = async ({ stdin, stderr, isTerminal }: Host, shown: string, name: string): Promise<void> => {
  if (!isTerminal)
    throw new OperatorError(
      'usage',
      'This cannot be undone, and without a terminal nobody can confirm it. Add --yes to do it.',
    );
  print(stderr, `${shown}\n`);
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    // Ctrl-C, or the end of the input, closes the interface without resolving the question.
    const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    const answer = await Promise.race([terminal.question(`This cannot be undone. Type ${name} to do it: `), ended]);
    if (answer.trim() !== name) throw new OperatorError('refused', `That is not ${name}. Nothing was changed.`);
  } finally {
    terminal.close();
  }
};
