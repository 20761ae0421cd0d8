import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../../api/tables.ts';
import { isThrottle } from './attempts.ts';

/** What the data modules ask of DynamoDB: to send commands, and what a table is called where they are sent. */
export type Store = Pick<DynamoDBDocumentClient, 'send'> & {
  /** Throws for a table that this store does not know. */
  readonly tableName: (table: TableName) => string;
};

export const createStore = (client: DynamoDBClient, tableName: Store['tableName']): Store => {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return { send: documents.send.bind(documents), tableName };
};

/** A request that fails or takes too long is sent this often in all. */
export const maxAttempts = 3;

/** How long a request to DynamoDB may take until it is tried again, in milliseconds. */
export type RequestTimeouts = { readonly connectionTimeout: number; readonly requestTimeout: number };

/**
 * A client that gives up on a hung connection (without `throwOnRequestTimeout` it would only log a warning) and tries
 * as often as it may before it does. Where DynamoDB is, and who asks, comes from the process's environment unless `config` says so.
 */
export const createStoreClient = (timeouts: RequestTimeouts, config: DynamoDBClientConfig = {}): DynamoDBClient =>
  new DynamoDBClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true }, ...config });

/**
 * Counts what DynamoDB throttles of this client, attempt by attempt and keys of a batch that were left out, also if a later
 * attempt is served. Gives the count since it was asked last.
 */
export const countThrottles = (client: DynamoDBClient): (() => number) => {
  let throttles = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        const result = await next(args);
        const { UnprocessedKeys = {} } = result.output as { readonly UnprocessedKeys?: object };
        if (Object.keys(UnprocessedKeys).length > 0) throttles++;
        return result;
      } catch (error) {
        if (isThrottle(error)) throttles++;
        throw error;
      }
    },
    // Within the retries, around what reads the answer.
    { step: 'deserialize', priority: 'high', name: 'throttles' },
  );
  return () => {
    const taken = throttles;
    throttles = 0;
    return taken;
  };
};

/** The store of one request: all of its commands together have to be answered within the deadline. */
export const withDeadline = (store: Store, deadlineMs: number): Store => {
  const abortSignal = AbortSignal.timeout(deadlineMs);
  const send = (command: Parameters<Store['send']>[0]) => store.send(command, { abortSignal });
  return { ...store, send: send as Store['send'] };
};

/** A command that the store was sent, and how long it took with all of its attempts. */
export type StoreCall = { readonly command: string; readonly durationMs: number };

/** Notes every command of the store, once it has ended either way. */
export const withTimings = (store: Store, calls: StoreCall[]): Store => {
  const timed =
    (next: (args: never) => Promise<unknown>, { commandName }: { commandName?: string }) =>
    async (args: never) => {
      const startMs = performance.now();
      try {
        return await next(args);
      } finally {
        calls.push({
          command: String(commandName).replace(/Command$/, ''),
          durationMs: Math.round(performance.now() - startMs),
        });
      }
    };
  const send = (command: Parameters<Store['send']>[0]) => {
    // A class's own name does not outlive minification; the SDK tells the command's to its middleware. The document
    // client adds a command's middleware twice, hence `override`.
    command.middlewareStack.add(timed as never, { step: 'initialize', name: 'timing', override: true });
    return store.send(command);
  };
  return { ...store, send: send as Store['send'] };
};
