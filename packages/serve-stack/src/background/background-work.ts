import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ReadStream } from '../dynamodb/stream-reader.ts';
import { UserFacingError } from '../errors.ts';
import type { FunctionEmitter, FunctionPool } from '../functions/functions.ts';
import { openLog } from '../host/files.ts';
import { type BusEnvelope, createEventBuses, type EventBus } from '../services/event-service.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { type Stack, tableIn, tablesIn } from '../template/stack.ts';
import type { QueueAccess } from './delivery.ts';
import { compileQueueMappings } from './queue-mappings.ts';
import { compilePatternRules, compileScheduledRules, type ScheduledRule } from './rules.ts';
import { compileStreamMappings } from './stream-mappings.ts';

type Options = {
  readonly resolve: Resolve;
  readonly functions: ReadonlyMap<string, FunctionPool>;
  readonly queues: QueueAccess;
  /** Returns a mapping's reader of a table's stream. */
  readonly streamReaderOf: (readerName: string, tableName: string) => ReadStream;
  /** Contains `events.log`, with a line for each event that was put on a bus. */
  readonly logsDirectory: string;
  readonly telemetry: FunctionEmitter;
  readonly print: (line: string) => void;
};

/** The event buses, mappings and schedules of the template. */
export type BackgroundWork = {
  /** The event buses, by ARN. */
  readonly buses: ReadonlyMap<string, EventBus>;
  /** Starts the mappings and the schedules. Scheduled functions run now and whenever they are due. */
  readonly start: () => void;
  /** Pauses or resumes the mappings, as if they were disabled. */
  readonly pauseMappings: (arePaused: boolean) => void;
  /** Shortens the times after which mappings retry and give up by this factor; 1 is as on AWS. */
  readonly hastenMappings: (timesFaster: number) => void;
  /** Runs all scheduled functions at once. Resolves when they have run; throws if one failed. */
  readonly runSchedules: () => Promise<void>;
  /** Stops the mappings and rules. Resolves when they have finished what they have started. */
  readonly stop: () => Promise<void>;
};

const restMs = 500;
/** Lambda polls a stream as often. */
const streamRestMs = 250;

/** Compiles the template's background work. Throws an error that names any unknown part, before anything runs. */
export const compileBackgroundWork = (stack: Stack, options: Options): BackgroundWork => {
  const { resolve, functions, queues, streamReaderOf, logsDirectory, telemetry, print } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  // Failed work is retried endlessly, so each failure is printed only once.
  const reported = new Set<string>();
  const report = (failure: string) => {
    if (signal.aborted || reported.has(failure)) return;
    reported.add(failure);
    print(failure);
  };
  const attempt = (what: string, work: () => Promise<unknown>): Promise<boolean> =>
    work().then(
      () => true,
      ({ message }: Error) => {
        report(`${what} failed: ${message}`);
        return false;
      },
    );

  const deliveries = new Set<Promise<unknown>>();
  const patternRules = compilePatternRules(stack, resolve, queues);
  const sendToRules = (busArn: string, event: BusEnvelope) => {
    for (const rule of patternRules.filter((each) => each.busArn === busArn && each.matches(event))) {
      const delivery = attempt(`The rule ${rule.name}`, () => rule.deliver(event));
      deliveries.add(delivery);
      void delivery.finally(() => deliveries.delete(delivery));
    }
  };
  const buses = createEventBuses(stack, resolve, {
    log: openLog(join(logsDirectory, 'events.log'), print),
    sendToRules,
  });

  let arePaused = false;
  let timesFaster = 1;
  const unlessPaused = (work: () => Promise<void>) => () => (arePaused ? rest(restMs) : work());
  const rest = (ms: number) => wait(ms, undefined, { signal }).catch(() => undefined);
  const followers = [
    ...compileStreamMappings(stack, {
      resolve,
      functions,
      report,
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
 * Returns the local name of the table that a stream belongs to. If the template does not contain the table, it is another
 * stack's, and the name is the one in the ARN.
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
