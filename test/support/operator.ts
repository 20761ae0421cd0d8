import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'vitest';
import { compileAllowlist } from '../../config/allowlist.ts';
import { loadStageConfig, loadTrialConfig } from '../../config/load.ts';
import type { StageConfig } from '../../config/schema.ts';
import { resourcePolicy } from '../../infra/api/admission.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { nameOf } from '../../operator/cli/command.ts';
import type { Host } from '../../operator/cli/context.ts';
import { createProgram, readInput } from '../../operator/cli/program.ts';
import { commands, commands as operatorCommands } from '../../operator/commands.ts';
import type { Connection } from '../../operator/connection/connection.ts';
import { type ExitCode, exitCodes } from '../../operator/error.ts';
import { runOperator } from '../../operator/run.ts';
import { placeOfTrial } from './trial.ts';
import { startMs } from './world.ts';

export type OperatorOptions = {
  readonly store: Store;
  /** The trial on which the command runs, instead of the local run. */
  readonly trial?: string;
  /** The operator. */
  readonly operator?: string;
  readonly nowMs?: number;
  /** Called when the program waits, which moves its clock on and takes no time. */
  readonly onWait?: () => Promise<unknown>;
  readonly config?: StageConfig;
  /** The text of standard input. */
  readonly stdin?: string;
  readonly isTerminal?: boolean;
  readonly directory?: string;
  readonly logsDirectory?: string;
  /** Overrides parts of the connection, which otherwise follows from the configuration and the clock. */
  readonly connection?: Partial<Connection>;
  /** Replaces the connection to the stage. */
  readonly connect?: Host['connect'];
  readonly openAccount?: Host['openAccount'];
};

/** Makes an empty folder. */
export const temporaryDirectory = (): string => mkdtempSync(join(tmpdir(), 'operator-'));

/** Runs a command line in this process against the tables of the test; returns its output. */
export const operate = async (commandLine: readonly string[], options: OperatorOptions) => {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const { store, trial, operator = 'local:tester', logsDirectory, directory = temporaryDirectory() } = options;
  let waitedMs = 0;
  const host: Host = {
    stdin: Readable.from(options.stdin === undefined ? [] : [options.stdin]),
    stdout,
    stderr,
    isTerminal: options.isTerminal ?? false,
    nowMs: () => (options.nowMs ?? startMs) + waitedMs,
    wait: async (milliseconds) => {
      waitedMs += milliseconds;
      await options.onWait?.();
    },
    directory,
    sourceMapsDirectory: directory,
    loadConfig: (stage) => options.config ?? loadStageConfig(stage),
    findTrial: async (stage) => () => options.config ?? loadTrialConfig(stage, placeOfTrial),
    openAccount: options.openAccount ?? (async () => ({})),
    connect:
      options.connect ??
      (async ({ stage }) => ({
        store,
        operator,
        get integrations(): Connection['integrations'] {
          throw new Error('This test has no queues: give it those of openIntegrations.');
        },
        stackName: 'PartnerApi-local',
        logsDirectory,
        queryLog: { requests: async () => [], access: async () => [], consumers: async () => [] },
        readStoreTimeMs: async () => host.nowMs(),
        pseudonymOf: async (userId) => `erased-${createHash('sha256').update(userId).digest('base64url')}`,
        readBaseUrl: async () => 'https://localhost:1/v1',
        readPolicy: async () => resourcePolicy(compileAllowlist(host.loadConfig(stage).companies)).toJSON(),
        close: () => undefined,
        ...options.connection,
      })),
  };
  const code = await runOperator([...(trial ? ['--stage', trial] : ['--local']), ...commandLine], host);
  return { exit: exitNameOf(code), stdout: textIn(stdout), stderr: textIn(stderr) };
};

/** Runs a command line with `-o json`; returns its output, parsed and checked against the schema of the command. */
export const operateForJson = async (commandLine: readonly string[], options: OperatorOptions) => {
  const run = await operate([...commandLine, '-o', 'json'], options);
  // biome-ignore lint/suspicious/noExplicitAny: tests read outputs of every shape, after a check against their schemas.
  const output: any = run.stdout ? JSON.parse(run.stdout) : undefined;
  const command = commands.find((each) => `${commandLine.join(' ')} `.startsWith(`${nameOf(each)} `));
  if (output !== undefined) expect(command?.output.safeParse(output).error?.issues, run.stdout).toBeUndefined();
  return { ...run, output };
};

const exitNameOf = (code: number): ExitCode => {
  const [name] = Object.entries(exitCodes).find(([, each]) => each.code === code) ?? [];
  return name as ExitCode;
};

const textIn = (stream: PassThrough): string => stream.read()?.toString() ?? '';

/** Returns the refusal of a command line, or undefined if the program would run it. Placeholders are replaced by ids. */
export const operatorFault = (commandLine: string): string | undefined => {
  const words = (commandLine.replace(/ < .*/, '').match(/'[^']*'|<[^>]*>|\S+/g) ?? []).map((word) =>
    word.replace(/^'|'$/g, '').replace(/^<.*>$/, 'id'),
  );
  const row = operatorCommands.find((each) => `${words.join(' ')} `.startsWith(`${nameOf(each)} `));
  if (!row) return 'There is no such command.';
  let said = '';
  let input: Record<string, unknown> = {};
  const host = { stderr: { write: (text: string) => (said += text) }, stdout: { write: () => true } };
  const program = createProgram([row], host as unknown as Host, async (_, written) => {
    input = { ...written };
  });
  try {
    program.parse(words, { from: 'user' });
    const read = readInput(row, input);
    const isLook = input.dryRun || row.changesNothing?.(read);
    return row.changes && !isLook && !input.reason ? 'It has no --reason.' : undefined;
  } catch (error) {
    return `${said}${(error as Error).message}`;
  }
};
