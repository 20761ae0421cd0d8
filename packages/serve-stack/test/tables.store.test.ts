import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { clientConfigOf } from '../src/dynamodb/dynamodb-local.ts';
import { createStreamReader, type StreamRecord } from '../src/dynamodb/stream-reader.ts';
import { createTables, deleteTables } from '../src/dynamodb/tables.ts';
import { stackOf } from './fixture.ts';

const loanKey = [
  { AttributeName: 'book', KeyType: 'HASH' },
  { AttributeName: 'sk', KeyType: 'RANGE' },
];

describe('tables', () => {
  const prefix = `tables${process.pid}-`;
  const stack = stackOf({
    Loans: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        TableName: 'Loans',
        AttributeDefinitions: ['book', 'sk', 'reader'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: loanKey,
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byReader',
            KeySchema: [{ AttributeName: 'reader', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      },
    },
  });
  let client: DynamoDBClient;
  beforeAll(async () => {
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    client = new DynamoDBClient({ endpoint: inject('dynamoDbEndpoint'), region: 'eu-central-1', credentials });
    await createTables(client, stack, prefix);
  });
  afterAll(() => client.destroy());

  const item = { book: 'Emma', sk: 'x' };
  const store = () => DynamoDBDocumentClient.from(client);
  const readItem = async () =>
    (await store().send(new GetCommand({ TableName: `${prefix}Loans`, Key: item, ConsistentRead: true }))).Item;

  test('tables have the template’s keys, indexes and time to live', async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: `${prefix}Loans` }));
    expect(Table?.KeySchema).toEqual(loanKey);
    expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(['byReader']);
    const command = new DescribeTimeToLiveCommand({ TableName: `${prefix}Loans` });
    expect((await client.send(command)).TimeToLiveDescription).toMatchObject({
      AttributeName: 'expiresAt',
      TimeToLiveStatus: 'ENABLED',
    });
  });

  test('creating tables again keeps their items; deleting them removes the items', async () => {
    await store().send(new PutCommand({ TableName: `${prefix}Loans`, Item: item }));
    await createTables(client, stack, prefix);
    expect(await readItem()).toEqual(item);
    await deleteTables(client, stack, prefix);
    await deleteTables(client, stack, prefix);
    await createTables(client, stack, prefix);
    expect(await readItem()).toBeUndefined();
  });

  test('an unknown property is an error that names it', async () => {
    const Properties = { KeySchema: [], ImportSourceSpecification: {} };
    const unknown = stackOf({ Table1: { Type: 'AWS::DynamoDB::Table', Properties } });
    await expect(createTables(client, unknown, prefix)).rejects.toThrow(
      'property of Table1 (AWS::DynamoDB::Table): ImportSourceSpecification',
    );
  });
});

describe('stream reader', () => {
  const TableName = randomUUID();
  const config = clientConfigOf(inject('dynamoDbEndpoint'));
  const clients = { tables: new DynamoDBClient(config), streams: new DynamoDBStreamsClient(config) };
  const put = (id: string, others: object = {}, name = TableName) =>
    DynamoDBDocumentClient.from(clients.tables).send(new PutCommand({ TableName: name, Item: { id, ...others } }));
  const idOf = ({ dynamodb }: StreamRecord) => dynamodb?.Keys?.id?.S;

  const createTable = (name: string) =>
    clients.tables.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      }),
    );
  beforeAll(() => createTable(TableName));

  test('each record is passed on in order until it is done, also after a failed call', async () => {
    const read = createStreamReader(clients, TableName);
    const taken: unknown[] = [];
    const take = async (records: readonly StreamRecord[]) => {
      taken.push(...records.map(idOf));
      return records.length;
    };
    await put('a');
    await read(take);
    for (const id of ['b', 'c', 'd']) await put(id);
    await read(async ([first]) => {
      taken.push(idOf(first as StreamRecord));
      return 1;
    });
    await expect(read(() => Promise.reject(new Error('Not now.')))).rejects.toThrow('Not now.');
    await read(take);
    await read(take);
    expect(taken).toEqual(['a', 'b', 'c', 'd']);
  });

  test('the shards are listed once, and again after a failed call', async () => {
    const streams = new DynamoDBStreamsClient(config);
    let lists = 0;
    streams.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          if (commandName === 'DescribeStreamCommand') lists++;
          return next(args);
        },
      { step: 'initialize' },
    );
    const read = createStreamReader({ ...clients, streams }, TableName);
    const take = async (records: readonly StreamRecord[]) => records.length;
    for (let look = 0; look < 3; look++) await read(take);
    expect(lists).toBe(1);
    await put('g');
    await expect(read(() => Promise.reject(new Error('Not now.')))).rejects.toThrow('Not now.');
    await read(take);
    await read(take);
    expect(lists).toBe(2);
  });

  test('the first record of an empty shard is read, although the records of other tables have the numbers before it', async () => {
    const names = [randomUUID(), randomUUID()] as const;
    for (const name of names) await createTable(name);
    const read = createStreamReader(clients, names[0]);
    const taken: unknown[] = [];
    const take = async (records: readonly StreamRecord[]) => {
      taken.push(...records.map(idOf));
      return records.length;
    };
    await read(take);
    for (const id of ['a', 'b', 'c']) await put(id, {}, names[1]);
    await put('d', {}, names[0]);
    await read(take);
    await put('e', {}, names[0]);
    await read(take);
    expect(taken).toEqual(['d', 'e']);
  });

  test('an empty value has its type, as in a stream on AWS', async () => {
    const read = createStreamReader(clients, TableName);
    const empty = { map: {}, list: [], text: '', nothing: null, deep: { list: [{}, []] } };
    await put('e', empty);
    const images: unknown[] = [];
    await read(async (records) => {
      images.push(...records.map(({ dynamodb }) => dynamodb?.NewImage && unmarshall(dynamodb.NewImage as never)));
      return records.length;
    });
    expect(images.at(-1)).toEqual({ id: 'e', ...empty });
  });

  test('a record is not older than the previous read of the stream', async () => {
    const read = createStreamReader(clients, TableName);
    const madeAtMs: number[] = [];
    const take = async (records: readonly StreamRecord[]) => {
      madeAtMs.push(...records.map(({ dynamodb }) => dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0));
      return records.length;
    };
    await read(take);
    const lookedAtMs = Date.now();
    await read(take);
    await put('f');
    await read(take);
    expect(madeAtMs.at(-1)).toBeGreaterThanOrEqual(lookedAtMs);
  });
});
