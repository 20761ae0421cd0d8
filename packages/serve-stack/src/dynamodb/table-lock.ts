import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ResourceInUseException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { UserFacingError } from '../errors.ts';

type Options = {
  /** The prefix of the names of the tables. Runs with other prefixes can use the same store. */
  readonly tables: string;
  /** The directory of the run, which the error of a refused run names. */
  readonly directory: string;
  /** Whether this run has started the store. Any item of another run in it then belongs to a run that has ended. */
  readonly isOwnStore: boolean;
  /** Called if another run has taken the tables before this run released them. */
  readonly onLost: (reason: UserFacingError) => void;
};

/** The table with an item for each run: its tables and the number of its heartbeats. */
const TableName = 'serve-stack-runs';

const heartbeatMs = 1000;

/**
 * A run without a heartbeat for this time has ended. This process measures the time, because clocks of other machines may
 * differ.
 */
const patienceMs = 6 * heartbeatMs;

/**
 * Locks the tables for this run until it ends or releases them; throws if another run uses them. Two runs that share tables
 * would delete each other's data.
 */
export const lockTables = async (
  client: DynamoDBClient,
  { tables, directory, isOwnStore, onLost }: Options,
): Promise<{ readonly release: () => Promise<void> }> => {
  const Key = { tables: { S: tables } };
  const holder = { S: randomUUID() };
  const item: Item = {
    ...Key,
    holder,
    beats: { N: '0' },
    pid: { N: `${process.pid}` },
    host: { S: hostname() },
    directory: { S: directory },
  };
  const ifMine = { ConditionExpression: 'holder = :holder', ExpressionAttributeValues: { ':holder': holder } };

  /** Takes the tables, unless another run has taken them since `ended` was read. Returns whether it succeeded. */
  const take = (ended: Item | undefined) =>
    unlessRefused(
      client.send(
        new PutItemCommand({
          TableName,
          Item: item,
          ...(ended
            ? {
                ConditionExpression: 'attribute_not_exists(holder) OR (holder = :holder AND beats = :beats)',
                ExpressionAttributeValues: { ':holder': ended.holder, ':beats': ended.beats },
              }
            : { ConditionExpression: 'attribute_not_exists(holder)' }),
        }),
      ),
    );

  await createTable(client);
  while (!(await take(await endedRun(client, Key, isOwnStore ? 0 : patienceMs)))) await wait(heartbeatMs);

  let beating: Promise<unknown> = Promise.resolve();
  const beat = async () => {
    const command = new UpdateItemCommand({
      TableName,
      Key,
      ConditionExpression: ifMine.ConditionExpression,
      UpdateExpression: 'ADD beats :one',
      ExpressionAttributeValues: { ...ifMine.ExpressionAttributeValues, ':one': { N: '1' } },
    });
    if (await unlessRefused(client.send(command))) return;
    clearInterval(timer);
    onLost(
      new UserFacingError(`Another run has taken the tables ${tables}…, because this one did not answer for long.`),
    );
  };
  // The caller learns from other requests that the store does not answer.
  const timer = setInterval(() => {
    beating = beating.then(beat).catch(() => undefined);
  }, heartbeatMs);
  timer.unref();
  return {
    release: async () => {
      clearInterval(timer);
      await beating;
      await client.send(new DeleteItemCommand({ TableName, Key, ...ifMine })).catch(() => undefined);
    },
  };
};

type Key = { readonly tables: AttributeValue };
type Item = Key & Readonly<Record<'holder' | 'beats' | 'pid' | 'host' | 'directory', AttributeValue>>;

/**
 * Returns the item of a run without a heartbeat for the given time; undefined if there is no run. Throws if the run has one.
 */
const endedRun = async (client: DynamoDBClient, Key: Key, silenceMs: number): Promise<Item | undefined> => {
  const read = async () =>
    (await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item as Item | undefined;
  const first = await read();
  for (let waitedMs = 0; first && waitedMs < silenceMs; waitedMs += heartbeatMs / 2) {
    await wait(heartbeatMs / 2);
    const next = await read();
    if (!next) return undefined;
    if (next.holder.S !== first.holder.S || next.beats.N !== first.beats.N) throw usedByAnotherRun(next);
  }
  return first;
};

const usedByAnotherRun = ({ tables, pid, host, directory }: Item) =>
  new UserFacingError(
    `Another run uses the tables ${tables.S}… of this store: process ${pid.N} on ${host.S}, which has its files in ` +
      `${directory.S}. Stop that one, or choose another store.`,
    'dynamoDbEndpoint',
  );

const createTable = async (client: DynamoDBClient): Promise<void> => {
  try {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'tables', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'tables', KeyType: 'HASH' }],
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
};

/** Returns whether the condition of a write was met. */
const unlessRefused = async (writing: Promise<unknown>): Promise<boolean> => {
  try {
    await writing;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};
