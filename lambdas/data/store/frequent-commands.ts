import {
  BatchGetItemCommand,
  type BatchGetItemCommandOutput,
  type DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
  type UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { StoreUnavailableError } from './attempts.ts';

/** The commands that nearly every request sends. */
export type FrequentCommand = BatchGetCommand | PutCommand | UpdateCommand;

export const isFrequent = (command: object): command is FrequentCommand =>
  command instanceof BatchGetCommand || command instanceof PutCommand || command instanceof UpdateCommand;

/** Returns the operation of DynamoDB that a command calls. */
export const operationOf = ({ input }: FrequentCommand): string =>
  'RequestItems' in input ? 'BatchGetItem' : 'Item' in input ? 'PutItem' : 'UpdateItem';

/** What is sent with a command: after `abortSignal`, no attempt begins, and the caller waits no longer. */
export type SendOptions = { readonly abortSignal?: AbortSignal };

/**
 * Returns a function that sends frequent commands as the document client does, with about an eighth less processor time for a
 * command. The client has the option `cacheMiddleware`, which the document client rejects: it builds the middleware for every
 * request. Middleware that is added to the client after its first command has no effect.
 */
export const frequentSender = (client: DynamoDBClient) => {
  client.middlewareStack.add(
    (next) => async (args) => {
      if (deadlines.get(args.input)?.aborted) throw deadlinePassed();
      return next(args);
    },
    // Inside the retries.
    { step: 'finalizeRequest', priority: 'low', name: 'deadline' },
  );
  return async (command: FrequentCommand, { abortSignal }: SendOptions = {}) => {
    const plain = plainCommandOf(command);
    // The options of `send` cannot contain the signal, because the SDK caches no middleware for a command with options.
    if (abortSignal) deadlines.set(plain.input, abortSignal);
    const answer = client.send(plain as UpdateItemCommand);
    return documentOf(abortSignal ? await before(abortSignal, answer) : await answer);
  };
};

/** The deadlines of commands, by their inputs. */
const deadlines = new WeakMap<object, AbortSignal>();

const deadlinePassed = () => new StoreUnavailableError('The store did not respond before the deadline.');

/** Resolves as `answer` does, or rejects when the signal is aborted. */
const before = async <Answer>(signal: AbortSignal, answer: Promise<Answer>): Promise<Answer> => {
  let stop = () => {};
  const end = new Promise<never>((_, reject) => {
    stop = () => reject(deadlinePassed());
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([answer, end]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

type Values = Record<string, unknown>;

const toAttributes = (values: Values = {}) => marshall(values, { removeUndefinedValues: true });

const plainCommandOf = ({ input }: FrequentCommand): BatchGetItemCommand | PutItemCommand | UpdateItemCommand => {
  if ('RequestItems' in input)
    return new BatchGetItemCommand({
      ...input,
      RequestItems: ofEach(input.RequestItems ?? {}, ({ Keys = [], ...how }) => ({
        ...how,
        Keys: Keys.map(toAttributes),
      })),
    });
  const values = input.ExpressionAttributeValues && {
    ExpressionAttributeValues: toAttributes(input.ExpressionAttributeValues),
  };
  if ('Item' in input)
    return new PutItemCommand({ ...input, Item: toAttributes(input.Item), ...values } as PutItemCommandInput);
  return new UpdateItemCommand({ ...input, Key: toAttributes(input.Key), ...values } as UpdateItemCommandInput);
};

/** Converts the attribute values of an answer to native values. */
const documentOf = ({
  Attributes,
  Responses,
  UnprocessedKeys,
  ...answer
}: Pick<UpdateItemCommandOutput, 'Attributes'> & Pick<BatchGetItemCommandOutput, 'Responses' | 'UnprocessedKeys'>) => ({
  ...answer,
  ...(Attributes && { Attributes: unmarshall(Attributes) }),
  ...(Responses && { Responses: ofEach(Responses, (items) => items.map((item) => unmarshall(item))) }),
  ...(UnprocessedKeys && {
    UnprocessedKeys: ofEach(UnprocessedKeys, ({ Keys = [], ...how }) => ({
      ...how,
      Keys: Keys.map((key) => unmarshall(key)),
    })),
  }),
});

const ofEach = <Value, Result>(values: Readonly<Record<string, Value>>, act: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, act(value)]));
