import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { StreamRecord, TakeRecords } from '../../dynamodb/stream-reader.ts';
import { requireKnown } from '../../errors/require-known.ts';
import { UserFacingError } from '../../errors/user-facing-error.ts';
import { principalInRole } from '../../iam/principal.ts';
import { requireGrants, streamAccesses } from '../../iam/required-grants.ts';
import { type QueueDefinition, queueAt } from '../../sqs/queue-definitions.ts';
import type { Resolve } from '../../template/intrinsics.ts';
import type { Stack } from '../../template/template.ts';
import type { FunctionPool } from '../function-pool.ts';
import type { FunctionEmitter } from '../function-telemetry.ts';
import type { Outcome } from '../runtime-api.ts';
import { traceIdAt } from '../trace-id.ts';
import { failedItems } from './batch-response.ts';
import { failureNotice } from './failure-notice.ts';
import { type MappingDefinition, readMappings } from './mapping-definitions.ts';
import type { ConnectToQueue } from './queue-receiver.ts';
import { type StreamBatchOptions, takeInBatches } from './stream-batches.ts';
import { createdAtMs, sequenceNumberOf, streamEvent } from './stream-event.ts';

/** Hands records of a table's stream to a function. */
export type StreamMapping = {
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
  /** How many times faster than on AWS records come of the age at which they are given up. */
  readonly timesFaster: () => number;
  /** Told why a function could not take a batch. */
  readonly tell: (failure: string) => void;
};

const defaultBatchSize = 100;
/** What the template says for having no limit. */
const unlimited = -1;

/** Compiles the template's mappings from streams. One whose function may not read its stream is an error here. */
export const compileStreamMappings = (stack: Stack, options: Options): StreamMapping[] => {
  const { resolve, functions, queues, client, events, tell, timesFaster } = options;
  return readMappings(stack.template, resolve).fromStreams.map((mapping) => {
    const { name, sourceArn, invokedArn, target, properties, reportsFailures } = mapping;
    const { BatchSize = defaultBatchSize, BisectBatchOnFunctionError = false, DestinationConfig } = properties;
    requireKnown(`starting position of ${name}:`, [String(properties.StartingPosition)], ['TRIM_HORIZON']);
    const destination = DestinationConfig?.OnFailure?.Destination;
    const failures = destination === undefined ? undefined : queueAt(queues, destination, `the mapping ${name}`);
    requireRights(stack, resolve, mapping, failures);

    const invoke = async (records: readonly StreamRecord[]) => {
      const lastRecordAtMs = records.map(createdAtMs).at(-1) ?? Date.now();
      events.emit('streamBatch', { functionName: target.name, lastRecordAtMs });
      const event = JSON.stringify(streamEvent(records, sourceArn));
      const outcome = (await functions.get(invokedArn)?.invoke(event, traceIdAt(Date.now()))) as Outcome;
      if (outcome.kind === 'failure')
        tell(`The mapping ${name}: the function ${target.name} failed: ${outcome.reason}.`);
      return failedItems(outcome, records.map(sequenceNumberOf), reportsFailures);
    };
    const batchesOf = (shardId: string): StreamBatchOptions => ({
      ...{ invoke, batchSize: BatchSize, bisects: BisectBatchOnFunctionError },
      maxAgeMs: (limit(properties.MaximumRecordAgeInSeconds) * 1000) / timesFaster(),
      maxRetries: limit(properties.MaximumRetryAttempts),
      giveUp: async (records, condition, approximateInvokeCount) => {
        tell(`The mapping ${name} gave up ${records.length} records: ${condition}.`);
        if (!failures) return;
        const notice = failureNotice(records, { condition, approximateInvokeCount, invokedArn, shardId, sourceArn });
        await (await client()).send(
          new SendMessageCommand({ QueueUrl: failures.url, MessageBody: JSON.stringify(notice) }),
        );
      },
    });
    return {
      ...{ name, sourceArn },
      take: (signal) => (records, shardId) => takeInBatches(records, batchesOf(shardId), signal),
    };
  });
};

const limit = (value = unlimited): number => (value === unlimited ? Number.POSITIVE_INFINITY : value);

const requireRights = (
  { template }: Stack,
  resolve: Resolve,
  { name, sourceArn, target }: MappingDefinition,
  failures: QueueDefinition | undefined,
) => {
  if (failures?.name.endsWith('.fifo'))
    throw new UserFacingError(`Lambda sends what failed to standard queues; ${name} names ${failures.arn}.`);
  requireGrants(
    `The role of the function ${target.name}`,
    principalInRole(template, resolve, target.roleArn, target.name),
    [...streamAccesses(sourceArn), ...(failures ? [{ action: 'sqs:SendMessage', resource: failures.arn }] : [])],
  );
};
