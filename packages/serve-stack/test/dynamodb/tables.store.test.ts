import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createTables, deleteTables } from '../../src/dynamodb/tables.ts';
import { loadStack } from '../../src/template/template.ts';
import { stackOf } from '../fixture.ts';

const prefix = `tables${process.pid}-`;
const stack = loadStack(inject('assemblyDirectory'));
let client: DynamoDBClient;
beforeAll(async () => {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = new DynamoDBClient({ endpoint: inject('dynamoDbEndpoint'), region: 'eu-central-1', credentials });
  await createTables(client, stack, prefix);
});
afterAll(() => client.destroy());

const item = { companyId: 'acme', sk: 'x' };
const store = () => DynamoDBDocumentClient.from(client);
const readItem = async () =>
  (await store().send(new GetCommand({ TableName: `${prefix}ApiKeys`, Key: item, ConsistentRead: true }))).Item;

test('tables have the template’s keys, indexes and time to live', async () => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: `${prefix}AuditLog` }));
  expect(Table?.KeySchema).toEqual([
    { AttributeName: 'subject', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ]);
  expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).toSorted()).toEqual(['byGateway', 'byUser']);
  const command = new DescribeTimeToLiveCommand({ TableName: `${prefix}TokenBuckets` });
  expect((await client.send(command)).TimeToLiveDescription).toMatchObject({
    AttributeName: 'expiresAt',
    TimeToLiveStatus: 'ENABLED',
  });
});

test('creating them again leaves their items alone, deleting them does not', async () => {
  await store().send(new PutCommand({ TableName: `${prefix}ApiKeys`, Item: item }));
  await createTables(client, stack, prefix);
  expect(await readItem()).toEqual(item);
  await deleteTables(client, stack, prefix);
  await deleteTables(client, stack, prefix);
  await createTables(client, stack, prefix);
  expect(await readItem()).toBeUndefined();
});

test('a property that the local run does not know is an error that names it', async () => {
  const Properties = { KeySchema: [], ImportSourceSpecification: {} };
  const unknown = stackOf({ Table1: { Type: 'AWS::DynamoDB::Table', Properties } });
  await expect(createTables(client, unknown, prefix)).rejects.toThrow(
    'property of Table1 (AWS::DynamoDB::Table): ImportSourceSpecification',
  );
});
