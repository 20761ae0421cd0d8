import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, inject, test } from 'vitest';
import { clientConfigOf } from '../../../../local/aws/dynamodb/dynamodb-local.ts';
import { createStreamReader, type StreamRecord } from '../../../../local/aws/events/stream-reader.ts';

const TableName = randomUUID();
const config = clientConfigOf(inject('dynamoDbEndpoint'));
const clients = { tables: new DynamoDBClient(config), streams: new DynamoDBStreamsClient(config) };
const put = (id: string) =>
  DynamoDBDocumentClient.from(clients.tables).send(new PutCommand({ TableName, Item: { id } }));
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

test('each record is handed on once, in order, also after one that could not be taken', async () => {
  const read = createStreamReader(clients, TableName);
  const taken: unknown[] = [];
  const take = (record: StreamRecord) => {
    taken.push(idOf(record));
    if (idOf(record) === 'bad') throw new Error('Not this one.');
  };
  await put('a');
  await read(take);
  for (const id of ['bad', 'b']) await put(id);
  await expect(read(take)).rejects.toThrow('Not this one.');
  await read(take);
  await put('c');
  await read(take);
  await read(take);
  expect(taken).toEqual(['a', 'bad', 'b', 'c']);
});
