import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ReadStream } from '../dynamodb/stream-reader.ts';
import { UserFacingError } from '../errors.ts';
import type { FunctionEmitter, FunctionPool } from '../functions/functions.ts';
import { openLog } from '../host/files.ts';
import { type BusEnvelope, createEventBuses, type EventBus } from '../services/event-service.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { type Stack, tableIn, tablesIn } from '../template/template.ts';
import { compileQueueMappings } from './queue-mappings.ts';
import { compilePatternRules, compileScheduledRules, type QueueAccess, type ScheduledRule } from './rules.ts';
import { compileStreamMappings } from './stream-mappings.ts';

type Options = {
  readonly resolve: Resolve;
  readonly functions: ReadonlyMap<string, FunctionPool>;
  readonly queues: QueueAccess;
  /** Gives a mapping its reader of a table's stream. */
  readonly streamReaderOf: (readerName: string, tableName: string) => ReadStream;
  /** Gets `events.log`, a line for each event that was put on a bus. */
  readonly logsDirectory: string;
  readonly telemetry: FunctionEmitter;
  readonly print: (line: string) => void;
};

/** Holds what the template runs by itself. */
export type BackgroundWork = {
  /** The event buses, by ARN. */
  readonly buses: ReadonlyMap<string, EventBus>;
  /** Begins: mappings follow their sources, scheduled functions run now and whenever they are due. */
  readonly start: () => void;
  /** Lets mappings bring nothing until it is told otherwise, as if they were disabled. */
  readonly pauseMappings: (arePaused: boolean) => void;
  /** Lets the times of the template after which mappings try again and give up pass so many times faster; 1 is as on AWS. */
  readonly hastenMappings: (timesFaster: number) => void;
  /** Runs at once what runs by a schedule; resolves when it has, throws if it failed. */
  readonly runSchedules: () => Promise<void>;
  /** Resolves when mappings and rules are done with what they have begun. */
  readonly stop: () => Promise<void>;
};

const restMs = 500;
/** Lambda looks into a stream as often. */
const streamRestMs = 250;

/** Compiles what runs in the background; what is not known of it is an error before anything runs. */
export const compileBackgroundWork = (stack: Stack, options: Options): BackgroundWork => {
  const { resolve, functions, queues, streamReaderOf, logsDirectory, telemetry, print } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  // What fails is tried again, and again: each failure is told once.
  const told = new Set<string>();
  const tell = (failure: string) => {
    if (signal.aborted || told.has(failure)) return;
    told.add(failure);
    print(failure);
  };
  const attempt = (what: string, work: () => Promise<unknown>): Promise<boolean> =>
    work().then(
      () => true,
      ({ message }: Error) => {
        tell(`${what} failed: ${message}`);
        return false;
      },
    );

  const deliveries = new Set<Promise<unknown>>();
  const patternRules = compilePatternRules(stack, resolve, queues);
  const tellRules = (busArn: string, event: BusEnvelope) => {
    for (const rule of patternRules.filter((each) => each.busArn === busArn && each.matches(event))) {
      const delivery = attempt(`The rule ${rule.name}`, () => rule.deliver(event));
      deliveries.add(delivery);
      void delivery.finally(() => deliveries.delete(delivery));
    }
  };
  const buses = createEventBuses(stack, resolve, { log: openLog(join(logsDirectory, 'events.log'), print), tellRules });

  let arePaused = false;
  let timesFaster = 1;
  const unlessPaused = (work: () => Promise<void>) => () => (arePaused ? rest(restMs) : work());
  const rest = (ms: number) => wait(ms, undefined, { signal }).catch(() => undefined);
  const followers = [
    ...compileStreamMappings(stack, {
      resolve,
      functions,
      tell,
      events: telemetry,
      timesFaster: () => timesFaster,
      queues: queues.definitions,
      client: queues.client,
    }).map(({ name, sourceArn, take }) => {
      const read = streamReaderOf(name, tableWithStream(stack, resolve, sourceArn));
      return { what: `The mapping ${name}`, ms: streamRestMs, work: unlessPaused(() => read(take(signal))) };
    }),
    ...compileQueueMappings(stack, {
      resolve,
      functions,
      events: telemetry,
      timesFaster: () => timesFaster,
      queues: queues.definitions,
      client: queues.client,
    }).flatMap(({ name, concurrency, poll }) =>
      Array.from({ length: concurrency }, () => ({ what: `The mapping ${name}`, ms: 0, work: unlessPaused(poll) })),
    ),
  ];
  const rules = compileScheduledRules(stack, resolve, functions);

  const follow = async ({ what, ms, work }: (typeof followers)[number]) => {
    while (!signal.aborted) {
      const isWell = await attempt(what, work);
      await rest(isWell ? ms : restMs);
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
    buses,
    start: () => {
      following = Promise.all(followers.map(follow));
      for (const rule of rules) void keepTime(rule);
    },
    pauseMappings: (paused) => {
      arePaused = paused;
    },
    hastenMappings: (times) => {
      timesFaster = times;
    },
    runSchedules: async () => void (await Promise.all(rules.map(({ run }) => run()))),
    stop: async () => {
      stopping.abort();
      await following;
      await Promise.all(deliveries);
    },
  };
};

/**
 * Finds the name on this machine of the table that a stream belongs to. One that the template does not make is another stack's,
 * and goes by the name in the ARN.
 */
const tableWithStream = ({ template }: Stack, resolve: Resolve, streamArn: string): string => {
  const table = tablesIn(template).find(
    ({ logicalId, Properties }) =>
      Properties?.StreamSpecification && resolve({ 'Fn::GetAtt': [logicalId, 'StreamArn'] }) === streamArn,
  );
  if (table) return resolve({ Ref: table.logicalId });
  const name = tableIn(streamArn);
  if (name === undefined) throw new UserFacingError(`${streamArn} is no stream of a table.`);
  return name;
};
