import { UserFacingError } from '../../errors/user-facing-error.ts';
import { principalInRole } from '../../iam/principal.ts';
import { requireGrants } from '../../iam/required-grants.ts';
import { type QueueDefinition, queueAt } from '../../sqs/queue-definitions.ts';
import type { Resolve } from '../../template/intrinsics.ts';
import type { Stack } from '../../template/template.ts';
import type { FunctionPool } from '../function-pool.ts';
import type { Outcome } from '../runtime-api.ts';
import { traceIdAt } from '../trace-id.ts';
import { failedItems } from './batch-response.ts';
import { type MappingDefinition, readMappings } from './mapping-definitions.ts';
import { queueEvent } from './queue-event.ts';
import { type ConnectToQueue, createQueueReceiver, type QueueReceiver } from './queue-receiver.ts';

/** Hands messages of a queue to a function. */
export type QueueMapping = {
  readonly name: string;
  /** How many batches are under way at once. */
  readonly concurrency: number;
  /** Waits for a batch for a moment, and resolves when it is done with; throws where the function failed. */
  readonly poll: () => Promise<void>;
};

type Options = {
  readonly resolve: Resolve;
  readonly functions: ReadonlyMap<string, FunctionPool>;
  readonly queues: readonly QueueDefinition[];
  readonly client: ConnectToQueue;
  /** How many times faster than on AWS a message that failed can be received again. */
  readonly timesFaster: () => number;
};

/** Functions have as many processes here. */
const maxConcurrency = 2;
const defaultBatchSize = 10;

/** Compiles the template's mappings from queues. One whose function may not read the queue is an error here. */
export const compileQueueMappings = (stack: Stack, options: Options): QueueMapping[] => {
  const { resolve, functions, queues, client, timesFaster } = options;
  return readMappings(stack.template, resolve).fromQueues.map((mapping) => {
    const { name, sourceArn, invokedArn, target, properties } = mapping;
    const { BatchSize = defaultBatchSize, MaximumBatchingWindowInSeconds = 0, ScalingConfig = {} } = properties;
    const queue = queueAt(queues, sourceArn, `the mapping ${name}`);
    requireVisibility(mapping, queue);
    requireGrants(
      `The role of the function ${target.name}`,
      principalInRole(stack.template, resolve, target.roleArn, target.name),
      ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((action) => ({
        action: `sqs:${action}`,
        resource: sourceArn,
      })),
    );
    const windowMs = MaximumBatchingWindowInSeconds * 1000;
    const receiver = createQueueReceiver(client, queue, { batchSize: BatchSize, windowMs, timesFaster });
    const invoke = (event: object) =>
      functions.get(invokedArn)?.invoke(JSON.stringify(event), traceIdAt(Date.now())) as Promise<Outcome>;
    return {
      name,
      concurrency: Math.min(ScalingConfig.MaximumConcurrency ?? maxConcurrency, maxConcurrency),
      poll: () => takeBatch(mapping, receiver, invoke),
    };
  });
};

const takeBatch = async (
  { sourceArn, target, reportsFailures }: MappingDefinition,
  { receive, remove, release }: QueueReceiver,
  invoke: (event: object) => Promise<Outcome>,
) => {
  const { messages, receivedAtMs } = await receive();
  if (messages.length === 0) return;
  const outcome = await invoke(queueEvent(messages, sourceArn));
  const idOf = ({ MessageId = '' }) => MessageId;
  const failed = failedItems(outcome, messages.map(idOf), reportsFailures);
  await remove(messages.filter((message) => !failed.has(idOf(message))));
  await release(
    messages.filter((message) => failed.has(idOf(message))),
    receivedAtMs,
  );
  if (outcome.kind === 'failure') throw new UserFacingError(`the function ${target.name} failed: ${outcome.reason}.`);
};

/** Lambda refuses a mapping whose messages another invocation could get while one is still busy with them. */
const requireVisibility = ({ name, target }: MappingDefinition, queue: QueueDefinition) => {
  const timeoutSeconds = target.timeoutMs / 1000;
  if (queue.visibilityTimeoutSeconds >= timeoutSeconds) return;
  throw new UserFacingError(
    `Lambda refuses the mapping ${name}: Queue visibility timeout: ${queue.visibilityTimeoutSeconds} seconds is less than ` +
      `Function timeout: ${timeoutSeconds} seconds`,
  );
};
