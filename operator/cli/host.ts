import type { Readable, Writable } from 'node:stream';
import type { StageConfig } from '../../config/schema.ts';
import type { Account, Connection, Target } from '../connection/connection.ts';

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
