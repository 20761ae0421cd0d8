import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { StreamRecord, TakeRecords } from '../dynamodb/stream-reader.ts';
import { requireKnown, UserFacingError } from '../errors.ts';
import { type Outcome, traceIdAt } from '../functions/function-process.ts';
import type { FunctionEmitter, FunctionPool } from '../functions/functions.ts';
import { principalInRole, requireGrants, streamAccesses } from '../iam/principals.ts';
import { type QueueDefinition, queueAt } from '../services/queue-definitions.ts';
import type { Resolve } from '../template/intrinsics.ts';
import type { Stack } from '../template/template.ts';
import { failedItems, type MappingDefinition, readMappings } from './mappings.ts';
import type { ConnectToQueue } from './queue-mappings.ts';
import { compilePattern } from './rules.ts';

/** Passes records of a table's stream to a function. */
type StreamMapping = {
  readonly name: string;
  readonly sourceArn: string;
  readonly take: (signal: AbortSignal) => TakeRecords;
};

type Options = {
  readonly resolve: Resolve;
  readonly functions: ReadonlyMap<string, FunctionPool>;
  readonly queues: readonly QueueDefinition[];
  readonly client: ConnectToQueue;
  readonly events: FunctionEmitter;
  /** Factor by which records reach the age at which they are given up sooner than on AWS. */
  readonly timesFaster: () => number;
  /** Receives the reason why a function could not process a batch. */
  readonly report: (failure: string) => void;
};

const defaultBatchSize = 100;
/** The template's value for no limit. */
const unlimited = -1;

/** Compiles the template's mappings from streams. Throws if the role of a function may not read its stream. */
export const compileStreamMappings = (stack: Stack, options: Options): StreamMapping[] => {
  const { resolve, functions, queues, client, events, report, timesFaster } = options;
  return readMappings(stack.template, resolve).fromStreams.map((mapping) => {
    const { name, sourceArn, invokedArn, target, properties, reportsFailures } = mapping;
    const { BatchSize = defaultBatchSize, BisectBatchOnFunctionError = false, DestinationConfig } = properties;
    requireKnown(`starting position of ${name}:`, [String(properties.StartingPosition)], ['TRIM_HORIZON']);
    const isWanted = compileFilter(properties.FilterCriteria?.Filters);
    const destination = DestinationConfig?.OnFailure?.Destination;
    const failures = destination === undefined ? undefined : queueAt(queues, destination, `the mapping ${name}`);
    requireRights(stack, resolve, mapping, failures);

    const invoke = async (records: readonly StreamRecord[]) => {
      const lastRecordAtMs = records.map(createdAtMs).at(-1) ?? Date.now();
      events.emit('streamBatch', { functionName: target.name, lastRecordAtMs });
      const event = JSON.stringify(streamEvent(records, sourceArn));
      const outcome = (await functions.get(invokedArn)?.invoke(event, traceIdAt(Date.now()))) as Outcome;
      if (outcome.kind === 'failure')
        report(`The mapping ${name}: the function ${target.name} failed: ${outcome.reason}.`);
      return failedItems(outcome, records.map(sequenceNumberOf), reportsFailures);
    };
    const batchesOf = (shardId: string): StreamBatchOptions => ({
      invoke,
      batchSize: BatchSize,
      bisects: BisectBatchOnFunctionError,
      maxAgeMs: (limit(properties.MaximumRecordAgeInSeconds) * 1000) / timesFaster(),
      maxRetries: limit(properties.MaximumRetryAttempts),
      giveUp: async (records, condition, approximateInvokeCount) => {
        report(`The mapping ${name} gave up ${records.length} records: ${condition}.`);
        if (!failures) return;
        const notice = failureNotice(records, { condition, approximateInvokeCount, invokedArn, shardId, sourceArn });
        await (await client()).send(
          new SendMessageCommand({ QueueUrl: failures.url, MessageBody: JSON.stringify(notice) }),
        );
      },
    });
    return {
      name,
      sourceArn,
      take: (signal) => (records, shardId) =>
        takeInLanes(records, { lanes: properties.ParallelizationFactor ?? 1, isWanted }, batchesOf(shardId), signal),
    };
  });
};

/** Returns whether a record matches a pattern; true without patterns. Other records are dropped permanently. */
const compileFilter = (filters: readonly { readonly Pattern?: string }[] = []) => {
  const tests = filters.map(({ Pattern = '{}' }) => compilePattern(Pattern));
  return (record: StreamRecord): boolean => tests.length === 0 || tests.some((matches) => matches(record));
};

const limit = (value = unlimited): number => (value === unlimited ? Number.POSITIVE_INFINITY : value);

const requireRights = (
  { template }: Stack,
  resolve: Resolve,
  { name, sourceArn, target }: MappingDefinition,
  failures: QueueDefinition | undefined,
) => {
  if (failures?.name.endsWith('.fifo'))
    throw new UserFacingError(`Lambda sends failed records only to standard queues; ${name} names ${failures.arn}.`);
  requireGrants(
    `The role of the function ${target.name}`,
    principalInRole(template, resolve, target.roleArn, target.name),
    [...streamAccesses(sourceArn), ...(failures ? [{ action: 'sqs:SendMessage', resource: failures.arn }] : [])],
  );
};

type GiveUpReason = 'RecordAgeExceeded' | 'RetryAttemptsExhausted';

/** How batches are passed to a function, and when failed batches are given up. */
type StreamBatchOptions = {
  readonly batchSize: number;
  readonly bisects: boolean;
  readonly maxAgeMs: number;
  readonly maxRetries: number;
  /** Resolves to the sequence numbers of the records that have failed. */
  readonly invoke: (records: readonly StreamRecord[]) => Promise<ReadonlySet<string>>;
  /** Receives the records that are dropped, the reason, and the number of their invocations. */
  readonly giveUp: (records: readonly StreamRecord[], reason: GiveUpReason, invocations: number) => Promise<void>;
};

/**
 * Passes the wanted records to a function, in up to `lanes` concurrent batches; records of one item keep their order. Resolves,
 * once all batches have ended, to the number of records from the first on that are done.
 */
export const takeInLanes = async (
  records: readonly StreamRecord[],
  { lanes, isWanted }: { readonly lanes: number; readonly isWanted: (record: StreamRecord) => boolean },
  options: StreamBatchOptions,
  signal: AbortSignal,
): Promise<number> => {
  const wanted = [...records.keys()].filter((place) => isWanted(records[place] as StreamRecord));
  const places = Map.groupBy(wanted, (place) => laneOf(records[place], lanes));
  const left = await Promise.all(
    [...places.values()].map(async (ofLane) => {
      const inLane = ofLane.map((place) => records[place] as StreamRecord);
      return ofLane[await takeInBatches(inLane, options, signal)] ?? records.length;
    }),
  );
  return Math.min(...left, records.length);
};

/**
 * Returns the same lane for all records of one item. A stream does not mark the partition key, so all keys of the record count.
 */
const laneOf = (record: StreamRecord | undefined, lanes: number): number => {
  const keys = Object.entries(record?.dynamodb?.Keys ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(keys)).digest().readUInt32BE() % lanes;
};

const firstRestMs = 100;
const longestRestMs = 10_000;

/**
 * Passes records to a function as Lambda does, one batch after the other. A failed batch is retried from its first failed
 * record on, and in halves if `bisects` is set, until its retries or its time are over; then the next batch follows. Resolves
 * to the number of records that are done: all, unless `signal` was aborted.
 */
export const takeInBatches = async (
  records: readonly StreamRecord[],
  options: StreamBatchOptions,
  signal: AbortSignal,
): Promise<number> => {
  let done = 0;
  while (done < records.length && !signal.aborted) {
    const batch = records.slice(done, done + options.batchSize);
    const taken = await takeBatch(batch, 0, options, signal);
    done += taken;
    if (taken < batch.length) break;
  }
  return done;
};

const takeBatch = async (
  batch: readonly StreamRecord[],
  retries: number,
  options: StreamBatchOptions,
  signal: AbortSignal,
): Promise<number> => {
  const { bisects, maxAgeMs, maxRetries, invoke, giveUp } = options;
  const expired = batch.filter((record) => Date.now() - createdAtMs(record) > maxAgeMs);
  if (expired.length > 0) await giveUp(expired, 'RecordAgeExceeded', retries);
  const current = batch.slice(expired.length);
  if (current.length === 0) return batch.length;

  const failed = await invoke(current);
  const firstFailed = current.findIndex((record) => failed.has(sequenceNumberOf(record)));
  if (firstFailed < 0) return batch.length;
  const before = expired.length + firstFailed;
  const rest = current.slice(firstFailed);
  const again = async (part: readonly StreamRecord[], attempts: number) => {
    await wait(Math.min(firstRestMs * 2 ** retries, longestRestMs), undefined, { signal }).catch(() => undefined);
    return signal.aborted ? 0 : takeBatch(part, attempts, options, signal);
  };

  if (bisects && rest.length > 1) {
    const half = Math.ceil(rest.length / 2);
    const taken = await again(rest.slice(0, half), retries);
    return before + taken + (taken < half ? 0 : await again(rest.slice(half), retries));
  }
  if (retries < maxRetries) return before + (await again(rest, retries + 1));
  await giveUp(rest, 'RetryAttemptsExhausted', retries + 1);
  return batch.length;
};

/** Returns the event with which Lambda passes records of a table's stream to a function. */
const streamEvent = (records: readonly StreamRecord[], streamArn: string) => ({
  Records: records.map(({ eventID, eventName, userIdentity, dynamodb = {} }) => ({
    eventID,
    eventName,
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: streamArn.split(':')[3],
    dynamodb: asJson({
      ...dynamodb,
      ApproximateCreationDateTime: Math.floor(createdAtMs({ dynamodb }) / 1000),
    }),
    ...(userIdentity && { userIdentity: { type: userIdentity.Type, principalId: userIdentity.PrincipalId } }),
    eventSourceARN: streamArn,
  })),
});

const createdAtMs = ({ dynamodb }: Pick<StreamRecord, 'dynamodb'>): number =>
  dynamodb?.ApproximateCreationDateTime?.getTime() ?? Date.now();

const sequenceNumberOf = ({ dynamodb }: StreamRecord): string => dynamodb?.SequenceNumber ?? '';

/** Encodes binary values in base64. */
const asJson = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, asJson(part)]));
};

type Circumstances = {
  readonly condition: GiveUpReason;
  readonly approximateInvokeCount: number;
  readonly invokedArn: string;
  readonly shardId: string;
  readonly sourceArn: string;
};

/** Returns the message that Lambda sends for records that it gave up. It contains their positions, not their content. */
const failureNotice = (
  records: readonly StreamRecord[],
  { condition, approximateInvokeCount, invokedArn, shardId, sourceArn }: Circumstances,
) => {
  const [first] = records;
  const last = records.at(-1);
  if (!first || !last) throw new RangeError('A notice is about records.');
  return {
    requestContext: { functionArn: invokedArn, condition, approximateInvokeCount },
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: sequenceNumberOf(first),
      endSequenceNumber: sequenceNumberOf(last),
      approximateArrivalOfFirstRecord: new Date(createdAtMs(first)).toISOString(),
      approximateArrivalOfLastRecord: new Date(createdAtMs(last)).toISOString(),
      batchSize: records.length,
      streamArn: sourceArn,
    },
  };
};
