import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { clientConfigOf } from '../dynamodb/dynamodb-local.ts';
import { tableTypes } from '../dynamodb/tables.ts';
import type { FunctionPool } from '../functions/function-pool.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { resourcesOf, type Stack } from '../template/template.ts';
import { UserFacingError } from '../user-facing-error.ts';
import { createEventBuses } from './event-bus.ts';
import { compilePipes, type Pipe } from './pipes.ts';
import { compileScheduledRules } from './schedules.ts';
import { createStreamReader } from './stream-reader.ts';

type Options = {
  readonly resolve: Resolve;
  readonly functions: ReadonlyMap<string, FunctionPool>;
  /** Of DynamoDB Local. */
  readonly endpoint: string;
  /** Gets `events.log`, a line for each event that was put on a bus. */
  readonly logsDirectory: string;
  readonly print: (line: string) => void;
};

export type LocalEvents = {
  /** Runs at once what runs by a schedule; resolves when it has, throws where it failed. */
  readonly runSchedules: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

const restMs = 500;

/** Runs what the template runs by itself, in the background: pipes, and scheduled functions, each now and when it is due. */
export const startEvents = (stack: Stack, options: Options): LocalEvents => {
  const { resolve, functions, endpoint, logsDirectory, print } = options;
  const buses = createEventBuses(stack.template, resolve, join(logsDirectory, 'events.log'));
  const pipes = compilePipes(stack, resolve, buses);
  const rules = compileScheduledRules(stack.template, resolve, functions);
  const tables = new DynamoDBClient(clientConfigOf(endpoint));
  const streams = new DynamoDBStreamsClient(clientConfigOf(endpoint));
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

  const follow = async (pipe: Pipe) => {
    const read = createStreamReader({ tables, streams }, tableWithStream(stack, resolve, pipe.sourceArn));
    while (!signal.aborted) {
      await attempt(`The pipe ${pipe.name}`, () => read(pipe.take));
      await rest(restMs);
    }
  };
  const keepTime = async ({ run, nextDueMs }: (typeof rules)[number]) => {
    while (!signal.aborted) {
      await attempt('A scheduled run', run);
      await rest(nextDueMs(Date.now()) - Date.now());
    }
  };
  const following = Promise.all(pipes.map(follow));
  for (const rule of rules) void keepTime(rule);

  return {
    runSchedules: async () => void (await Promise.all(rules.map(({ run }) => run()))),
    stop: async () => {
      stopping.abort();
      await following;
      tables.destroy();
      streams.destroy();
    },
  };
};

/** The name on this machine of the table that a stream belongs to. */
const tableWithStream = ({ template }: Stack, resolve: Resolve, streamArn: string): string => {
  const table = resourcesOf(template, ...tableTypes).find(
    ({ logicalId, Properties }) =>
      Properties?.StreamSpecification && resolve({ 'Fn::GetAtt': [logicalId, 'StreamArn'] }) === streamArn,
  );
  if (!table) throw new UserFacingError(`The template has no table with the stream ${streamArn}.`);
  return resolve({ Ref: table.logicalId });
};
