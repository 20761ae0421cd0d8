import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-dynamodb';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DeserializeMiddleware } from '@aws-sdk/types';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
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

/** Returns a store that sends all commands with a document client of `client`. */
export const createStore = (client: DynamoDBClient, tableName: Store['tableName']): Store => {
  const documents = documentClientOf(client);
  const send = (command: Command, options?: SendOptions) => documents.send(command, options);
  return { send: send as Store['send'], tableName };
};

const documentClientOf = (client: DynamoDBClient) =>
  DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

type Command = Parameters<Store['send']>[0];

/** The number of attempts for a request that fails or takes too long, the first one included. */
export const maxAttempts = 3;

/** How long an attempt of a request to DynamoDB may take, in milliseconds. */
export type RequestTimeouts = { readonly connectionTimeout: number; readonly requestTimeout: number };

/** A store, and the number of attempts that DynamoDB throttled, or whose batch read left keys unprocessed. */
export type StoreConnection = {
  readonly store: Store;
  /** Returns the number since the last call. An attempt counts even if a later one succeeds. */
  readonly takeThrottles: () => number;
};

/** The settings of a client that its caller knows. Without `credentials`, they come from the environment of the process. */
export type StoreSettings = Pick<DynamoDBClientConfig, 'region' | 'endpoint' | 'credentials' | 'requestHandler'>;

/**
 * Returns the store of a function. It makes `maxAttempts` attempts of a request, each with these time-outs, and then throws;
 * without `throwOnRequestTimeout` it would only log a warning for a hung connection.
 */
export const connectStore = (
  tableName: Store['tableName'],
  timeouts: RequestTimeouts,
  settings: StoreSettings,
): StoreConnection => {
  const { onAttempt, takeThrottles } = countThrottles();
  const signer = signerOf(settings);
  const openClient = (own: DynamoDBClientConfig): DynamoDBClient => {
    const client = new DynamoDBClient({ ...fixedSettings, logger, signer, ...own, ...settings });
    // Inside the retries, so that each attempt counts, and around the deserializer.
    client.middlewareStack.add(onAttempt, { step: 'deserialize', priority: 'high', name: 'throttles' });
    return client;
  };
  const frequent = openClient({ cacheMiddleware: true, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  const sendFrequent = frequentSender(frequent);
  // Created with the first command that needs it, because many requests send frequent commands alone.
  let documents: DynamoDBDocumentClient | undefined;
  const send = (command: Command, options?: SendOptions) => {
    if (isFrequent(command)) return sendFrequent(command, options);
    documents ??= documentClientOf(openClient({ requestHandler: frequent.config.requestHandler }));
    return documents.send(command, options);
  };
  return { store: { send: send as Store['send'], tableName }, takeThrottles };
};

/**
 * Has only the method that the SDK calls without a check: for each other method, also those of its default logger, which logs
 * nothing, the SDK copies the input and the output of each command.
 */
const logger = { warn: () => {} } as unknown as NonNullable<DynamoDBClientConfig['logger']>;

/** If a client lacks one of these settings, the SDK reads two files of the home directory before the first command. */
const fixedSettings = {
  maxAttempts,
  retryMode: 'standard',
  accountIdEndpointMode: 'disabled',
  authSchemePreference: [],
  disableClockSkewCorrection: false,
  ignoreConfiguredEndpointUrls: true,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: '',
} satisfies DynamoDBClientConfig;

/**
 * Returns one signer for all requests: the SDK would create one for each, from a copy of the whole configuration. The SDK passes
 * the region with each request; the region of the signer is a default.
 */
const signerOf = ({ credentials = defaultProvider(), region = '' }: StoreSettings) =>
  new SignatureV4({ credentials, region, service: 'dynamodb', sha256: Sha256 });

const countThrottles = () => {
  let throttles = 0;
  const onAttempt: DeserializeMiddleware<ServiceInputTypes, ServiceOutputTypes> = (next) => async (args) => {
    try {
      const result = await next(args);
      const { UnprocessedKeys = {} } = result.output as { readonly UnprocessedKeys?: object };
      if (Object.keys(UnprocessedKeys).length > 0) throttles++;
      return result;
    } catch (error) {
      if (isThrottle(error)) throttles++;
      throw error;
    }
  };
  const takeThrottles = () => {
    const taken = throttles;
    throttles = 0;
    return taken;
  };
  return { onAttempt, takeThrottles };
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
