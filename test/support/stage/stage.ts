import type { DynamoDBRecord, SQSBatchResponse } from 'aws-lambda';
import {
  type Consumer,
  type ConsumerName,
  consumerNames,
  consumers,
} from '../../../lambdas/api/background-functions.ts';
import type { Settings, TargetQueue } from '../../../lambdas/api/environment.ts';
import { type QueueName, queues as queueRows } from '../../../lambdas/api/queues.ts';
import { tables } from '../../../lambdas/api/tables.ts';
import { handler as recordApplianceEvents } from '../../../lambdas/consumers/recordApplianceEvents.ts';
import { handler as recordContractEvents } from '../../../lambdas/consumers/recordContractEvents.ts';
import { handler as recordKeyNotices } from '../../../lambdas/consumers/recordKeyNotices.ts';
import { handler as recordWebhookEvents } from '../../../lambdas/consumers/recordWebhookEvents.ts';
import { handler as relayRequestedChanges } from '../../../lambdas/consumers/relayRequestedChanges.ts';
import { handler as sendWebhookMessage } from '../../../lambdas/consumers/sendWebhookMessage.ts';
import { handler as takeGatewayReports } from '../../../lambdas/consumers/takeGatewayReports.ts';
import { handler as takePortalEvents } from '../../../lambdas/consumers/takePortalEvents.ts';
import type { Segment } from '../../../lambdas/data/feed/feed-items.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { type FeedEvent, isWhole } from '../../../lambdas/domain/feed-event.ts';
import { handler as dropExpiredChanges } from '../../../lambdas/jobs/dropExpiredChanges.ts';
import { handler as sweepWebhookMessages } from '../../../lambdas/jobs/sweepWebhookMessages.ts';
import type { FunctionEnvironment, LambdaHandler } from '../../../lambdas/runtime/function-environment.ts';
import { createProcessMemory } from '../../../lambdas/runtime/process-memory.ts';
import type { BusEvent, FifoMessage, StandardMessage } from '../../../lambdas/runtime/senders.ts';
import { createDone } from '../../../lambdas/runtime/set-aside.ts';
import { createDeliveryQueue } from '../../../lambdas/webhooks/delivery-queue.ts';
import type { Network } from '../../../lambdas/webhooks/post.ts';
import { unavailable } from '../feed.ts';
import { calmStore, openMemory } from '../memory-store/memory.ts';
import { emptyTables, type Tables } from '../memory-store/tables.ts';
import { startMs, webhookSecretOf } from '../world.ts';
import { openQueue } from './queue.ts';
import { rowsWith } from './rows.ts';
import { openReader, openStreams, type StreamName } from './streams.ts';

type Message = StandardMessage | FifoMessage;

/** The faults: each function is called before the operation, and the error that it returns is thrown. */
export type Faults = {
  /**
   * Returns whether the process of a consumer dies at a command to the store or at a message. Its answer is lost, and the next
   * call has a new process.
   */
  readonly ofProcess?: () => 'dies-before' | 'dies-after' | undefined;
  readonly ofStore?: (command: { readonly input: object }) => unknown;
  readonly ofQueue?: (queue: TargetQueue, message: Message) => unknown;
  readonly ofBus?: (events: readonly BusEvent[]) => unknown;
  /** Replaces the record that a consumer receives. */
  readonly recordAs?: (record: DynamoDBRecord) => DynamoDBRecord;
};

/** The handlers of one version of the service, by function. */
export type Code = Readonly<Record<string, LambdaHandler<never, never, never, Promise<unknown>>>>;

/** The background functions of the present version, which requests do not invoke. */
export const consumersOfToday: Code = {
  relayRequestedChanges,
  recordApplianceEvents,
  recordContractEvents,
  recordKeyNotices,
  recordWebhookEvents,
  takePortalEvents,
  takeGatewayReports,
  sendWebhookMessage,
  dropExpiredChanges,
  sweepWebhookMessages,
};

const stageSettings: Partial<Settings> = {
  requiredConsentVersion: 3,
  newestConsentVersion: 3,
  consentPortalUrl: 'https://portal.example.com/consent',
  metricNamespace: 'PartnerApi-test',
  canaryCompanyId: '-',
};

const nowhere: Network = {
  resolve: async () => [],
  connect: () => {
    throw new Error('No message is sent here.');
  },
};

/** The error of each step of a process that has died. */
const death = unavailable('The process is dead.');

/** How often a schedule invokes the jobs. */
const jobMs = 60_000;

type Options = {
  /** Where webhook messages go. */
  readonly network?: Network;
  /** The versions that run at the same time, and the choice of one for the next call. */
  readonly versions?: readonly Code[];
  readonly pick?: (count: number) => number;
  /** The time at which it begins, and the rows of its tables then. */
  readonly beginMs?: number;
  readonly begin?: Tables;
};

/**
 * The consumers of a stage, with queues and streams that deliver to them as SQS and Lambda do by the definitions, one clock
 * that the test advances, and a store in memory. Each consumer has one process for the life of the stage, unless it dies.
 */
export const openStage = (options: Options = {}) => {
  const { network = nowhere, versions = [consumersOfToday], pick = () => 0 } = options;
  const { beginMs = startMs, begin = emptyTables(tables) } = options;
  const memory = openMemory(tables, begin);
  const calm = calmStore(memory);
  let nowMs = beginMs;
  let faults: Faults = {};
  const now = () => nowMs;
  const lines: string[] = [];
  const notices: BusEvent[] = [];
  const queues = Object.fromEntries(
    Object.entries(queueRows).map(([name, row]) => [name, openQueue(row, now)]),
  ) as Record<QueueName, ReturnType<typeof openQueue>>;
  const failures = Object.fromEntries(Object.keys(consumers).map((name) => [name, openQueue({}, now)])) as Record<
    ConsumerName,
    ReturnType<typeof openQueue>
  >;

  const failIf = (error: unknown) => {
    if (error !== undefined) throw error;
  };
  /** Starts a process of a function. */
  const startProcess = (name: string) => {
    let isDead = false;
    /** Carries out a step, unless the process is dead or dies before it. */
    const step = async <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
      if (isDead) throw death;
      const fate = faults.ofProcess?.();
      isDead = fate !== undefined;
      if (fate === 'dies-before') throw death;
      return run();
    };
    const store: Store = {
      ...calm,
      send: (async (command: { readonly input: object }) => {
        failIf(faults.ofStore?.(command));
        return step(() => calm.send(command as never) as Promise<object>);
      }) as Store['send'],
    };
    const send = (queue: TargetQueue, message: Message) =>
      step(async () => {
        failIf(faults.ofQueue?.(queue, message));
        (queue === 'failures' ? failures[name as ConsumerName] : queues[queue]).send(message);
      });
    const environment = {
      store,
      storeDeadlineMs: 60_000,
      memory: createProcessMemory(),
      processTimeMs: now,
      setting: ((name: keyof Settings) => stageSettings[name]) as FunctionEnvironment['setting'],
      log: (line: string) => void lines.push(line),
      send,
      hide: async (queue: QueueName, receipt: string, seconds: number) => queues[queue].hide(receipt, seconds),
      queueDelivery: createDeliveryQueue(send),
      countWaiting: async (queue: QueueName) => queues[queue].bodies().length,
      secretOf: webhookSecretOf,
      random: () => 0.5,
      network,
      putOnBus: (_bus: string, events: readonly BusEvent[]) =>
        step(async () => {
          failIf(faults.ofBus?.(events));
          notices.push(...events);
        }),
      done: createDone(),
    };
    return { environment, isDead: () => isDead };
  };

  const processes = versions.map(() => new Map<string, ReturnType<typeof startProcess>>());
  /** Invokes a function in one of the versions. Throws `death` if its process dies, because the answer is lost. */
  const invoke = async (name: string, event: unknown): Promise<unknown> => {
    const version = pick(versions.length);
    const handler = versions[version]?.[name];
    if (!handler) throw new Error(`Version ${version} has no function ${name}.`);
    const { environment, isDead } = processes[version]?.get(name) ?? startProcess(name);
    processes[version]?.set(name, { environment, isDead });
    const run = handler.withEnvironment(environment as never);
    const answer = await run(event as never, {} as never).catch((error) => {
      if (!isDead()) throw error;
    });
    if (!isDead()) return answer;
    processes[version]?.delete(name);
    throw death;
  };
  /** Resolves to the consumer's answer; undefined if its process died, so that nothing is known of the batch. */
  const consume = (name: ConsumerName, Records: readonly object[]) =>
    invoke(name, { Records }).catch((error) => {
      if (error !== death) throw error;
    }) as Promise<SQSBatchResponse | undefined>;

  const streams = openStreams(memory, now);
  const readers = consumerNames.flatMap((name) => {
    const { batchSize, source }: Consumer = consumers[name];
    if (!('stream' in source)) return [];
    const reader = openReader(streams[source.stream as StreamName]);
    /** Resolves to whether more records may wait. */
    return async (): Promise<boolean> => {
      const batch = reader.nextBatch(batchSize).map((record) => faults.recordAs?.(record) ?? record);
      if (batch.length === 0) return false;
      const answer = await consume(name, batch);
      streams.noteChanges();
      return answer !== undefined && reader.answered(batch, answer);
    };
  });

  const polls = consumerNames.flatMap((name) => {
    const { batchSize, maxConcurrency, source }: Consumer = consumers[name];
    if (!('queue' in source)) return [];
    const queue = queues[source.queue];
    /** Makes as many calls as may run concurrently: each takes at most a second. */
    return async (): Promise<void> => {
      for (let call = 0; call < (maxConcurrency ?? 1); call++) {
        const Records = queue.receive(batchSize);
        if (Records.length === 0) return;
        const answer = await consume(name, Records);
        streams.noteChanges();
        if (answer === undefined) continue;
        const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        for (const { messageId } of Records) if (!failed.has(messageId)) queue.remove(messageId);
      }
    };
  });

  let ranAtMs = nowMs;
  const deliverMessages = async (): Promise<void> => {
    if (nowMs - ranAtMs >= jobMs) {
      ranAtMs = nowMs;
      // A failed call is repeated a minute later. A version that was released before a job does not have it.
      for (const name of ['sweepWebhookMessages', 'dropExpiredChanges']) await invoke(name, {}).catch(() => undefined);
    }
    for (const poll of polls) await poll();
    streams.noteChanges();
  };
  const deliverRecords = async (): Promise<void> => {
    streams.noteChanges();
    for (const read of readers) while (await read());
  };

  return {
    memory,
    store: calm,
    queues,
    failures,
    notices,
    lines,
    now,
    invoke,
    /** The changes of items, by table, in order. */
    records: streams,
    /** Sets the faults from now on. */
    failWith: (next: Faults): void => {
      faults = next;
    },
    deliverMessages,
    deliverRecords,
    /** Ends all processes, so that each next call has a new one. */
    restart: (): void => {
      for (const each of processes) each.clear();
    },
    /** Advances the clock without a delivery, by a second unless the time is given. */
    idle: (ms = 1000): void => {
      nowMs += ms;
    },
    /** Delivers what is waiting, once, and advances the clock by a second. */
    pass: async (): Promise<void> => {
      await deliverMessages();
      await deliverRecords();
      nowMs += 1000;
    },
  };
};

export type Stage = ReturnType<typeof openStage>;

/** Returns the events of a company's feed, in order. */
export const feedOf = ({ memory }: Stage, companyId: string): FeedEvent[] =>
  (rowsWith(memory.now(), 'Events', 'EVENT#') as unknown as (Segment & { readonly companyId: string })[])
    .filter((segment) => segment.companyId === companyId)
    .toSorted((one, other) => one.firstSeq - other.firstSeq)
    .flatMap(({ events }) => events)
    .filter(isWhole);
