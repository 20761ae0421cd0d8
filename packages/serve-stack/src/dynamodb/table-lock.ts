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
  /** What the names of the tables begin with: a run of other tables in the same store is none of this one's business. */
  readonly tables: string;
  /** Where the run has its files, for those who are refused. */
  readonly directory: string;
  /** The store is this run's own: what is left in it of another run is of one that has ended. */
  readonly isOwnStore: boolean;
  /** Called if another run has taken the tables though this one has not released them. */
  readonly onLost: (reason: UserFacingError) => void;
};

/** Has an item for each run: whose tables it uses, and how often it has said that it is there. */
const TableName = 'serve-stack-runs';

const heartbeatMs = 1000;

/** A run that has said nothing for so long has ended. No clock of another machine is asked. */
const patienceMs = 6 * heartbeatMs;

/**
 * Makes the tables those of this run alone, as long as it lives; throws if another run uses them. Two runs that share tables
 * would each delete what the other one has written.
 */
export const lockTables = async (
  client: DynamoDBClient,
  { tables, directory, isOwnStore, onLost }: Options,
): Promise<{ readonly release: () => Promise<void> }> => {
  const Key = { tables: { S: tables } };
  const holder = { S: randomUUID() };
  const item = { ...Key, holder, beats: { N: '0' }, pid: { N: `${process.pid}` }, host: { S: hostname() } };
  const ifMine = { ConditionExpression: 'holder = :holder', ExpressionAttributeValues: { ':holder': holder } };

  /** Takes the tables if they are as they were seen. */
  const take = (seen: Item | undefined) =>
    unlessRefused(
      client.send(
        new PutItemCommand({
          TableName,
          Item: { ...item, directory: { S: directory } },
          ...(seen && {
            ConditionExpression: 'attribute_not_exists(holder) OR (holder = :holder AND beats = :beats)',
            ExpressionAttributeValues: { ':holder': seen.holder ?? nobody, ':beats': seen.beats ?? { N: '0' } },
          }),
        }),
      ),
    );

  await createTable(client);
  if (isOwnStore) await take(undefined);
  else while (!(await take(await lastSignOf(client, Key)))) await wait(heartbeatMs);

  let beating: Promise<unknown> = Promise.resolve();
  const beat = async () => {
    const command = new UpdateItemCommand({
      ...{ TableName, Key, ConditionExpression: ifMine.ConditionExpression, UpdateExpression: 'ADD beats :one' },
      ExpressionAttributeValues: { ...ifMine.ExpressionAttributeValues, ':one': { N: '1' } },
    });
    if (await unlessRefused(client.send(command))) return;
    clearInterval(timer);
    onLost(
      new UserFacingError(`Another run has taken the tables ${tables}…, because this one did not answer for long.`),
    );
  };
  // A store that does not answer is noticed by others.
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

type Item = Record<string, AttributeValue>;

const nobody = { S: '' };

/** Gives what a run that has ended has left, or an item of nobody. Throws as soon as the run says that it is there. */
const lastSignOf = async (client: DynamoDBClient, Key: Item): Promise<Item> => {
  const read = async (): Promise<Item> =>
    (await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item ?? { holder: nobody };
  const first = await read();
  for (let waitedMs = 0; first.holder !== nobody && waitedMs < patienceMs; waitedMs += heartbeatMs / 2) {
    await wait(heartbeatMs / 2);
    const next = await read();
    if (next.holder === nobody) return next;
    if (next.holder?.S !== first.holder?.S || next.beats?.N !== first.beats?.N) throw usedByAnotherRun(next);
  }
  return first;
};

const usedByAnotherRun = ({ tables, pid, host, directory }: Item) =>
  new UserFacingError(
    `Another run uses the tables ${tables?.S}… of this store: process ${pid?.N} on ${host?.S}, which has its files in ` +
      `${directory?.S}. Stop that one, or choose another store.`,
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

/** Whether a conditional write was done. */
const unlessRefused = async (writing: Promise<unknown>): Promise<boolean> => {
  try {
    await writing;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};
