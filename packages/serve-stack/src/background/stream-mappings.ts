import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { StreamRecord, TakeRecords } from '../dynamodb/stream-reader.ts';
import { requireKnown, UserFacingError } from '../errors.ts';
import { type Outcome, traceIdAt } from '../functions/function-process.ts';
import type { FunctionEmitter, FunctionPool } from '../functions/functions.ts';
import { principalInRole, requireGrants, streamAccesses } from '../iam/principals.ts';
import { type QueueDefinition, queueAt } from '../services/queue-definitions.ts';
import type { Resolve } from '../template/intrinsics.ts';
import type { Stack } from '../template/stack.ts';
import { failedItems, type MappingDefinition, readMappings } from './mappings.ts';
import type { ConnectToQueue } from './queue-mappings.ts';
import { compilePattern } from './rules.ts';
import {
  createdAtMs,
  type GiveUpReason,
  type StreamBatchOptions,
  sequenceNumberOf,
  takeInLanes,
} from './stream-batches.ts';

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
