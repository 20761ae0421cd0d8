import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { UserFacingError } from '../errors/user-facing-error.ts';
import type { FunctionPool } from '../functions/function-pool.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { tablesIn } from '../template/table-names.ts';
import type { Stack } from '../template/template.ts';
import { createEventBuses } from './event-bus.ts';
import { compilePipes, type Pipe } from './pipes.ts';
import { compileScheduledRules, type ScheduledRule } from './scheduled-rules.ts';
import type { ReadStream } from './stream-reader.ts';

type Options = {
  readonly resolve: Resolve;
  readonly functions: ReadonlyMap<string, FunctionPool>;
  /** Gives a pipe its reader of a table's stream. */
  readonly streamReaderOf: (pipeName: string, tableName: string) => ReadStream;
  /** Gets `events.log`, a line for each event that was put on a bus. */
  readonly logsDirectory: string;
  readonly print: (line: string) => void;
};

/** Holds what the template runs by itself. */
export type BackgroundWork = {
  /** Begins: pipes follow their streams, scheduled functions run now and whenever they are due. */
  readonly start: () => void;
  /** Runs at once what runs by a schedule; resolves when it has, throws if it failed. */
  readonly runSchedules: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

const restMs = 500;

/** Compiles what runs in the background; what is not known of it is an error before anything runs. */
export const compileBackgroundWork = (stack: Stack, options: Options): BackgroundWork => {
  const { resolve, functions, streamReaderOf, logsDirectory, print } = options;
  const buses = createEventBuses(stack, resolve, join(logsDirectory, 'events.log'));
  const pipes = compilePipes(stack, resolve, buses).map((pipe) => ({
    ...pipe,
    read: streamReaderOf(pipe.name, tableWithStream(stack, resolve, pipe.sourceArn)),
  }));
  const rules = compileScheduledRules(stack, resolve, functions);
  const stopping = new AbortController();
  const { signal } = stopping;

  // What fails is tried again, and again: each failure is told once.
  const told = new Set<string>();
  const attempt = (what: string, work: () => Promise<void>) =>
    work().catch(({ message }: Error) => {
      const failure = `${what} failed: ${message}`;
      if (signal.aborted || told.has(failure)) return;
      told.add(failure);
      print(failure);
    });
  const rest = (ms: number) => wait(ms, undefined, { signal }).catch(() => undefined);

  const follow = async ({ name, read, take }: Pipe & { readonly read: ReadStream }) => {
    while (!signal.aborted) {
      await attempt(`The pipe ${name}`, () => read(take));
      await rest(restMs);
    }
  };
  const keepTime = async ({ run, nextDueMs }: ScheduledRule) => {
    while (!signal.aborted) {
      await attempt('A scheduled run', run);
      await rest(nextDueMs(Date.now()) - Date.now());
    }
  };
  let following: Promise<unknown> = Promise.resolve();

  return {
    start: () => {
      following = Promise.all(pipes.map(follow));
      for (const rule of rules) void keepTime(rule);
    },
    runSchedules: async () => void (await Promise.all(rules.map(({ run }) => run()))),
    stop: async () => {
      stopping.abort();
      await following;
    },
  };
};

/** Finds the name on this machine of the table that a stream belongs to. */
const tableWithStream = ({ template }: Stack, resolve: Resolve, streamArn: string): string => {
  const table = tablesIn(template).find(
    ({ logicalId, Properties }) =>
      Properties?.StreamSpecification && resolve({ 'Fn::GetAtt': [logicalId, 'StreamArn'] }) === streamArn,
  );
  if (!table) throw new UserFacingError(`The template has no table with the stream ${streamArn}.`);
  return resolve({ Ref: table.logicalId });
};
