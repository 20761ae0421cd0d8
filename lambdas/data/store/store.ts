import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import type { TableName } from '../../api/tables.ts';
import { isThrottle } from './attempts.ts';
import { frequentSender, isFrequent, operationOf, type SendOptions } from './frequent-commands.ts';

/**
 * The part of DynamoDB that the data modules use: sending commands, and the names of tables. Functions that take a store throw
 * StoreUnavailableError when they give up their own retries, and pass on the SDK's errors; `isStoreUnavailable` recognizes
 * both.
 */
export type Store = Pick<DynamoDBDocumentClient, 'send'> & {
  /** Returns the name of a table for commands. Throws for a table that this store does not know. */
  readonly tableName: (table: TableName) => string;
};

export const createStore = (client: DynamoDBClient, tableName: Store['tableName']): Store => {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const sendFrequent = frequentSender(client);
  const send = (command: Command, options?: SendOptions) =>
    isFrequent(command) ? sendFrequent(command, options) : documents.send(command, options);
  return { send: send as Store['send'], tableName };
};

type Command = Parameters<Store['send']>[0];

/** The number of attempts for a request that fails or takes too long, the first one included. */
export const maxAttempts = 3;

/** How long an attempt of a request to DynamoDB may take, in milliseconds. */
export type RequestTimeouts = { readonly connectionTimeout: number; readonly requestTimeout: number };

/**
 * Returns a client that makes `maxAttempts` attempts, each with these time-outs, and then throws; without
 * `throwOnRequestTimeout` it would only log a warning for a hung connection. Endpoint and credentials come from the environment
 * of the process unless `settings` has them.
 */
export const createStoreClient = (timeouts: RequestTimeouts, settings: DynamoDBClientConfig = {}): DynamoDBClient => {
  const requestHandler = { ...timeouts, throwOnRequestTimeout: true };
  const client = new DynamoDBClient({ maxAttempts, requestHandler, ...settings });
  for (const name of unusedMiddlewares) client.middlewareStack.remove(name);
  // The SDK creates a signer for each attempt, from a copy of the whole configuration.
  const { signer: createSigner } = client.config;
  let signer: ReturnType<typeof createSigner> | undefined;
  client.config.signer = (authScheme) => {
    signer ??= createSigner(authScheme);
    return signer;
  };
  // The SDK copies its configuration for each request, and V8 copies a literal several times faster than an object that
  // `Object.assign` has extended.
  const config = { ...client.config };
  client.middlewareStack.use(getSchemaSerdePlugin(config));
  return Object.assign(client, { config });
};

/**
 * They copy each input and output for a logger that is not there, pass on a trace that nothing reads, and describe the client to
 * DynamoDB, which ignores it.
 */
const unusedMiddlewares = ['loggerMiddleware', 'recursionDetectionMiddleware', 'getUserAgentMiddleware'];

/**
 * Counts the attempts of this client that DynamoDB throttled, and the batch reads that left keys unprocessed, even if a later
 * attempt succeeds. The returned function returns the count since its last call.
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
    // Inside the retries, so that each attempt counts, and around the deserializer.
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
  const send = (command: Command) => store.send(command, { abortSignal });
  return { ...store, send: send as Store['send'] };
};

/** A command that was sent to the store, and how long it took with all of its attempts. */
export type StoreCall = { readonly command: string; readonly durationMs: number };

/** Records every command of the store when it ends, whether it succeeds or fails. */
export const withTimings = (store: Store, calls: StoreCall[]): Store => {
  const timed = async <Answer>(command: string, answer: () => Promise<Answer>): Promise<Answer> => {
    const startMs = performance.now();
    try {
      return await answer();
    } finally {
      calls.push({ command, durationMs: Math.round(performance.now() - startMs) });
    }
  };
  const timing =
    (next: (args: never) => Promise<unknown>, { commandName }: { commandName?: string }) =>
    (args: never) =>
      timed(String(commandName).replace(/Command$/, ''), () => next(args));
  const send = (command: Command) => {
    const operation = isFrequent(command) ? operationOf(command) : undefined;
    if (operation) return timed(operation, () => store.send(command));
    // Minification changes the names of classes, but the SDK passes a command's name to its middleware. The document client
    // adds a command's middleware twice, hence `override`.
    command.middlewareStack.add(timing as never, { step: 'initialize', name: 'timing', override: true });
    return store.send(command);
  };
  return { ...store, send: send as Store['send'] };
};
