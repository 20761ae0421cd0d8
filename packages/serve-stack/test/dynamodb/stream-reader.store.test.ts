import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { beforeAll, expect, inject, test } from 'vitest';
import { clientConfigOf } from '../../src/dynamodb/dynamodb-local.ts';
import { createStreamReader, type StreamRecord } from '../../src/dynamodb/stream-reader.ts';

const TableName = randomUUID();
const config = clientConfigOf(inject('dynamoDbEndpoint'));
const clients = { tables: new DynamoDBClient(config), streams: new DynamoDBStreamsClient(config) };
const put = (id: string, others: object = {}) =>
  DynamoDBDocumentClient.from(clients.tables).send(new PutCommand({ TableName, Item: { id, ...others } }));
const idOf = ({ dynamodb }: StreamRecord) => dynamodb?.Keys?.id?.S;

beforeAll(async () => {
  await clients.tables.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    }),
  );
});

test('each record is handed on in order until it is done with, also after a call that failed', async () => {
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

test('what is empty has its type, as in a stream of AWS', async () => {
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

test('a record is no older than the look at the stream before it', async () => {
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
