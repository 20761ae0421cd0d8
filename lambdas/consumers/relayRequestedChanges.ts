import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { functionEnvironment, lambdaHandler, requestTimeouts } from '../data/function-environment.ts';
import { createQueueSender } from '../data/senders.ts';
import { itemChangeOf } from '../data/store/stream-record.ts';
import type { ItemChange } from '../outbound/changes-to-send.ts';
import { type RelayEnvironment, relay } from '../outbound/relay.ts';

const ownEnvironment: RelayEnvironment = {
  ...functionEnvironment(process.env),
  sendToQueue: createQueueSender(process.env, requestTimeouts),
};

/**
 * Tells the backend of the changes that records of the stream ask for: those of a gateway in their order, gateways side by
 * side. Lambda calls again with all records from the first that failed on; the queue and the backend know a repeat.
 */
export const handler = lambdaHandler(
  ownEnvironment,
  async ({ Records }: DynamoDBStreamEvent, environment): Promise<DynamoDBBatchResponse> => {
    const gateways = Map.groupBy(Records, ({ dynamodb }) => dynamodb?.Keys?.gatewayId?.S);
    const failures = await Promise.all([...gateways.values()].map((records) => relayInOrder(environment, records)));
    return { batchItemFailures: failures.flat() };
  },
);

/** Stops at the first that fails: what follows must not overtake it. */
const relayInOrder = async (environment: RelayEnvironment, records: readonly DynamoDBRecord[]) => {
  for (const record of records) {
    // What cannot be read is a fault of ours: it fails the invocation, and Lambda writes it down.
    const change = toItemChange(record);
    try {
      await relay(environment, change);
    } catch {
      // The relay has said why.
      return [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }];
    }
  }
  return [];
};

const toItemChange = (record: DynamoDBRecord): ItemChange => {
  const { keys, before, after } = itemChangeOf(record);
  return { ...(keys as Pick<ItemChange, 'gatewayId' | 'sk'>), before, after };
};
