import { Duration, Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type IFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import {
  type Consumer,
  type ConsumerName,
  consumers,
  type FailureQueueName,
  failureQueueNames,
} from '../../lambdas/api/background-functions.ts';
import { busVariable, queueVariable } from '../../lambdas/api/environment.ts';
import type { BusName, ReceivedQueueName } from '../../lambdas/api/queues.ts';
import type { Bundles } from '../functions/bundle.ts';
import { queueAccess, queueStatement, ServiceFunction, type SharedProps } from '../functions/service-function.ts';
import { lifetimeIn } from '../lifetime.ts';
import { createFailureQueue, type QueuePairs } from './queues.ts';

type FunctionByConsumer = Readonly<Record<ConsumerName, IFunction>>;

export type ConsumerFunctionsProps = SharedProps & {
  readonly bundles: Bundles;
  readonly queues: QueuePairs;
  readonly buses: BusByName;
};

/**
 * How long, and how many times, records of a stream that cannot be handled for now are retried: an hour less than a stream
 * keeps them. The consumer itself sets aside records that no retry can help; these limits are for faults that end the consumer.
 */
export const maxRecordAge = Duration.hours(23);
const maxRecordRetries = 10_000;

/** The function of each consumer, with the mapping that passes it the messages of its queue or the records of its stream. */
export class ConsumerFunctions extends Construct {
  readonly functions: FunctionByConsumer;
  /** Receive a message about each batch of stream records that could not be handled in time. */
  readonly failureQueues: Readonly<Record<FailureQueueName, Queue>>;
  /** The event source mappings of all consumers. */
  readonly mappings: EventSourceMapping[] = [];
  readonly #streamMappings: EventSourceMapping[] = [];

  constructor(scope: Construct, id: string, { bundles, queues, buses, ...shared }: ConsumerFunctionsProps) {
    super(scope, id);
    this.failureQueues = Object.fromEntries(
      failureQueueNames.map((name) => [name, createFailureQueue(this, name)]),
    ) as ConsumerFunctions['failureQueues'];
    const functions = (Object.entries(consumers) as [ConsumerName, Consumer][]).map(([name, consumer]) => {
      const { source, queueActions = {}, tableActions, settings, macKeys = [] } = consumer;
      const ofQueues = queueAccess(queues, queueActions);
      const ofBuses = busAccess(buses, consumer.buses ?? []);
      const place = new Construct(this, `${name}Source`);
      const failures = 'stream' in source ? this.failureQueues[source.failureQueue] : refusedFrom(queues, source.queue);
      const created = new ServiceFunction(this, name, {
        ...shared,
        summary: consumer.summary,
        requirements: { tableActions, settings, macKeys },
        bundle: bundles[name],
        timeout: Duration.seconds(consumer.timeoutSeconds),
        callsItself: consumer.callsItself,
        statements: [
          ...('queue' in source
            ? [receiveStatement(queues[source.queue].queue)]
            : readStreamStatements(shared.tables[source.stream])),
          ...ofQueues.statements,
          ...ofBuses.statements,
          ...(failures ? [queueStatement(failures, ['SendMessage'])] : []),
        ],
        variables: {
          ...ofQueues.variables,
          ...ofBuses.variables,
          ...(failures && { [queueVariable('failures')]: failures.queueUrl }),
        },
      });
      const mapping =
        'queue' in source
          ? mapQueue(place, created.function, queues[source.queue].queue, consumer)
          : mapStream(place, created.function, {
              ...source,
              table: shared.tables[source.stream],
              failures: failures as Queue,
              batchSize: consumer.batchSize,
            });
      this.mappings.push(mapping);
      if ('stream' in source) this.#streamMappings.push(mapping);
      return [name, created.function];
    });
    this.functions = Object.fromEntries(functions);
  }

  /** Creates the mappings of streams after `last`: a stream cannot be read for some time after its table was created. */
  readStreamsAfter(last: IDependable): void {
    for (const mapping of this.#streamMappings) mapping.node.addDependency(last);
  }
}

/** Returns the dead-letter queue of a consumer's queue; `undefined` if the queue has no dead letters. */
const refusedFrom = (queues: QueuePairs, name: ReceivedQueueName): Queue | undefined => {
  const pair = queues[name];
  return 'deadLetters' in pair ? pair.deadLetters : undefined;
};

/** Lets a queue call a function, within the limits of both the function and the stage. */
export const mapQueue = (
  scope: Construct,
  target: IFunction,
  queue: Queue,
  { batchSize, maxConcurrency }: Pick<Consumer, 'batchSize' | 'maxConcurrency'>,
) =>
  new EventSourceMapping(scope, 'Mapping', {
    target,
    eventSourceArn: queue.queueArn,
    batchSize,
    ...(maxConcurrency !== undefined && {
      maxConcurrency: Math.min(maxConcurrency, lifetimeIn(Stack.of(scope)).maxConcurrency),
    }),
    reportBatchItemFailures: true,
  });

const mapStream = (
  scope: Construct,
  target: IFunction,
  { table, failures, batchSize, batchesPerShard: parallelizationFactor = 1, onlyIf }: StreamMapping,
) =>
  new EventSourceMapping(scope, 'Mapping', {
    target,
    eventSourceArn: table.tableStreamArn as string,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    parallelizationFactor,
    ...(onlyIf && { filters: [FilterCriteria.filter(patternOf(onlyIf))] }),
    retryAttempts: maxRecordRetries,
    maxRecordAge,
    // The function's role already has the permission.
    onFailure: { bind: () => ({ destination: failures.queueArn }) },
  });

type StreamSource = Extract<Consumer['source'], { readonly stream: unknown }>;

type StreamMapping = StreamSource &
  Pick<Consumer, 'batchSize'> & { readonly table: ITableV2; readonly failures: Queue };

const patternOf = ({ attribute, text }: NonNullable<StreamSource['onlyIf']>) => ({
  dynamodb: { NewImage: { [attribute]: { S: FilterRule.isEqual(text) } } },
});

/** Returns a statement that allows Lambda to receive from a queue for a function. */
export const receiveStatement = (queue: Queue) =>
  queueStatement(queue, ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage']);

const readStreamStatements = (table: ITableV2) => [
  new PolicyStatement({
    actions: ['DescribeStream', 'GetRecords', 'GetShardIterator'].map((name) => `dynamodb:${name}`),
    resources: [table.tableStreamArn as string],
  }),
  // ListStreams lists; there is no stream to name.
  new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
];

type BusByName = Readonly<Record<BusName, EventBus>>;

/** Returns the permissions to put events on the buses of a function's row, and the variables with the buses' names. */
const busAccess = (buses: BusByName, names: readonly BusName[]) => ({
  statements: names.map(
    (name) => new PolicyStatement({ actions: ['events:PutEvents'], resources: [buses[name].eventBusArn] }),
  ),
  variables: Object.fromEntries(names.map((name) => [busVariable(name), buses[name].eventBusName])),
});
