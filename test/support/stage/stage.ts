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
import { handler as sweepWebhookMessages } from '../../../lambdas/jobs/sweepWebhookMessages.ts';
import type { FunctionEnvironment, LambdaHandler } from '../../../lambdas/runtime/function-environment.ts';
import { createProcessMemory } from '../../../lambdas/runtime/process-memory.ts';
import type { BusEvent, FifoMessage, StandardMessage } from '../../../lambdas/runtime/senders.ts';
import { createDone } from '../../../lambdas/runtime/set-aside.ts';
import { createDeliveryQueue } from '../../../lambdas/webhooks/delivery-queue.ts';
import type { Network } from '../../../lambdas/webhooks/post.ts';
import { applianceRecord, companyRecord, contractRecord } from '../feed.ts';
import { calmStore, openMemory } from '../memory-store/memory.ts';
import { emptyTables, rowsOf, type Tables } from '../memory-store/tables.ts';
import { startMs, webhookSecretOf } from '../world.ts';
import { openQueue } from './queue.ts';
import { rowsWith } from './rows.ts';

type Message = StandardMessage | FifoMessage;

/** The faults: each function is called before the operation, and the error that it returns is thrown. */
export type Faults = {
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
  sweepWebhookMessages,
};

const stageSettings: Partial<Settings> = {
  requiredConsentVersion: 3,
  newestConsentVersion: 3,
  consentPortalUrl: 'https://portal.example.com/consent',
  metricNamespace: 'PartnerApi-test',
  canaryCompanyId: '-',
};

const recordsOf = {
  Appliances: applianceRecord,
  Contracts: contractRecord,
  KeyNotices: companyRecord,
  Webhooks: companyRecord,
};
type StreamName = keyof typeof recordsOf;

const nowhere: Network = {
  resolve: async () => [],
  connect: () => {
    throw new Error('No message is sent here.');
  },
};

/** How often a schedule invokes the sweeper. */
const sweepMs = 60_000;

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
 * that advances by seconds, and a store in memory. Each consumer has one process for the life of the stage.
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
  const store: Store = {
    ...calm,
    send: (async (command: { readonly input: object }) => {
      failIf(faults.ofStore?.(command));
      return calm.send(command as never);
    }) as Store['send'],
  };
  const send = (name: string) => async (queue: TargetQueue, message: Message) => {
    failIf(faults.ofQueue?.(queue, message));
    (queue === 'failures' ? failures[name as ConsumerName] : queues[queue]).send(message);
  };
  const environmentOf = (name: string) => ({
    store,
    storeDeadlineMs: 60_000,
    memory: createProcessMemory(),
    processTimeMs: now,
    setting: ((name: keyof Settings) => stageSettings[name]) as FunctionEnvironment['setting'],
    log: (line: string) => void lines.push(line),
    send: send(name),
    hide: async (queue: QueueName, receipt: string, seconds: number) => queues[queue].hide(receipt, seconds),
    queueDelivery: createDeliveryQueue(send(name)),
    countWaiting: async (queue: QueueName) => queues[queue].bodies().length,
    secretOf: webhookSecretOf,
    random: () => 0.5,
    network,
    putOnBus: async (_bus: string, events: readonly BusEvent[]) => {
      failIf(faults.ofBus?.(events));
      notices.push(...events);
    },
    done: createDone(),
  });

  const environments = versions.map(() => new Map<string, ReturnType<typeof environmentOf>>());
  /** Invokes a function in one of the versions. */
  const invoke = async (name: string, event: unknown): Promise<unknown> => {
    const version = pick(versions.length);
    const environment = environments[version]?.get(name) ?? environmentOf(name);
    environments[version]?.set(name, environment);
    const handler = versions[version]?.[name];
    if (!handler) throw new Error(`Version ${version} has no function ${name}.`);
    return handler.withEnvironment(environment as never)(event as never, {} as never);
  };
  const consume = (name: ConsumerName, Records: readonly object[]) =>
    invoke(name, { Records }) as Promise<SQSBatchResponse>;

  const streams = openStreams(memory, now);
  const readers = consumerNames.flatMap((name) => {
    const { batchSize, source }: Consumer = consumers[name];
    if (!('stream' in source)) return [];
    const records = streams[source.stream as StreamName];
    let next = 0;
    /** Resolves to whether more records may wait. */
    return async (): Promise<boolean> => {
      const batch = records.slice(next, next + batchSize).map((record) => faults.recordAs?.(record) ?? record);
      if (batch.length === 0) return false;
      const { batchItemFailures } = await consume(name, batch);
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      const first = batch.findIndex(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
      next += first < 0 ? batch.length : first;
      streams.noteChanges();
      return first < 0;
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
        const { batchItemFailures } = await consume(name, Records);
        const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        for (const { messageId } of Records) if (!failed.has(messageId)) queue.remove(messageId);
        streams.noteChanges();
      }
    };
  });

  let sweptAtMs = nowMs;
  const deliverMessages = async (): Promise<void> => {
    if (nowMs - sweptAtMs >= sweepMs) {
      sweptAtMs = nowMs;
      // A failed call is repeated a minute later.
      await invoke('sweepWebhookMessages', {}).catch(() => undefined);
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
    /** Advances the clock by a second without a delivery. */
    idle: (): void => {
      nowMs += 1000;
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

/** The streams of the tables: a record for each change of an item, in order. */
const openStreams = (memory: ReturnType<typeof openMemory>, now: () => number) => {
  const records: Record<StreamName, DynamoDBRecord[]> = { Appliances: [], Contracts: [], KeyNotices: [], Webhooks: [] };
  let seenVersions = 1;
  let numbers = 0;
  const noteChanges = (): void => {
    for (; seenVersions < memory.versions.length; seenVersions++) {
      const [before, after] = [memory.versions[seenVersions - 1], memory.versions[seenVersions]] as [Tables, Tables];
      for (const name of Object.keys(records) as StreamName[]) {
        const [old, young] = [rowsOf(before, name), rowsOf(after, name)];
        if (old === young) continue;
        for (const id of new Set([...old.keys(), ...young.keys()])) {
          if (old.get(id) === young.get(id)) continue;
          const { dynamodb, ...record } = recordsOf[name](++numbers, old.get(id), young.get(id));
          const ApproximateCreationDateTime = Math.floor(now() / 1000);
          records[name].push({ ...record, dynamodb: { ...dynamodb, ApproximateCreationDateTime } });
        }
      }
    }
  };
  return { ...records, noteChanges };
};
