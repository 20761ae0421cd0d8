import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** What the data modules ask of DynamoDB: to send commands. */
export type Store = Pick<DynamoDBDocumentClient, 'send'>;

/**
 * A client that gives up on a hung connection (without `throwOnRequestTimeout` it would only log a warning) and tries
 * thrice before it does.
 */
export const createStoreClient = (): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 500, requestTimeout: 700, throwOnRequestTimeout: true },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );

/** The store of one request: all of its commands together have to be answered within the deadline. */
export const withDeadline = (client: DynamoDBDocumentClient, deadlineMs: number): Store => {
  const abortSignal = AbortSignal.timeout(deadlineMs);
  const send = (command: Parameters<typeof client.send>[0]) => client.send(command, { abortSignal });
  return { send } as Store;
};
