import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { compilePolicies } from '../../local/iam/iam-policy.ts';
import { type StoreGate, startStoreGate } from '../../local/store/store-gate.ts';
import { createTables } from '../../local/store/tables.ts';
import type { Template } from '../../local/template/template.ts';

const table = (name: string) => ({
  Type: 'AWS::DynamoDB::GlobalTable',
  Metadata: { 'aws:cdk:path': `Stack/${name}/Resource` },
  Properties: {
    AttributeDefinitions: ['id', 'owner'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byOwner',
        KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  },
});
const template: Template = { Resources: { A: table('A'), B: table('B') } };
const prefix = `gate${process.pid}-`;
const [a, b] = [`${prefix}A`, `${prefix}B`];
const arn = (name: string) => `arn:aws:dynamodb:eu-central-1:000000000000:table/${name}`;
const credentials = (accessKeyId: string) => ({ accessKeyId, secretAccessKey: 'secret' });

let gate: StoreGate;
const clients: DynamoDBClient[] = [];
beforeAll(async () => {
  const endpoint = inject('dynamoDbEndpoint');
  const admin = new DynamoDBClient({ endpoint, region: 'eu-central-1', credentials: credentials('admin') });
  clients.push(admin);
  await createTables(admin, template, prefix);
  gate = await startStoreGate(endpoint);
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await gate.close();
});

/** A client in a role that is granted these actions on these resources. */
const clientWith = (...grants: [actions: string[], resource: string, effect?: 'Allow' | 'Deny'][]) => {
  const Statement = grants.map(([actions, Resource, Effect = 'Allow']) => ({
    Effect,
    Resource,
    Action: actions.map((action) => `dynamodb:${action}`),
  }));
  const principal = { arn: 'arn:aws:sts::1:assumed-role/role/fixture', decide: compilePolicies([{ Statement }]) };
  return clientAs(gate.issueAccessKeyId(principal));
};

const clientAs = (accessKeyId: string) => {
  const client = new DynamoDBClient({
    endpoint: gate.endpoint,
    region: 'eu-central-1',
    credentials: credentials(accessKeyId),
    maxAttempts: 1,
  });
  clients.push(client);
  return DynamoDBDocumentClient.from(client);
};

const putInto = (TableName: string, id = 'x') => ({ Put: { TableName, Item: { id } } });
const get = (TableName: string) => new GetCommand({ TableName, Key: { id: 'x' } });
const queryIndex = new QueryCommand({
  TableName: a,
  IndexName: 'byOwner',
  KeyConditionExpression: '#owner = :owner',
  ExpressionAttributeNames: { '#owner': 'owner' },
  ExpressionAttributeValues: { ':owner': 'x' },
});
const batchGet = new BatchGetCommand({ RequestItems: { [a]: { Keys: [{ id: 'x' }] }, [b]: { Keys: [{ id: 'x' }] } } });
const transactWrite = new TransactWriteCommand({
  TransactItems: [
    putInto(a),
    {
      Update: {
        TableName: b,
        Key: { id: 'u' },
        UpdateExpression: 'SET seen = if_not_exists(seen, :one)',
        ExpressionAttributeValues: { ':one': 1 },
      },
    },
    { Delete: { TableName: b, Key: { id: 'd' } } },
    { ConditionCheck: { TableName: b, Key: { id: 'c' }, ConditionExpression: 'attribute_not_exists(id)' } },
  ],
});
const transactGet = new TransactGetCommand({ TransactItems: [{ Get: { TableName: a, Key: { id: 'x' } } }] });

describe('a role reaches what it is granted', () => {
  test('an item written through the gate is read back', async () => {
    const client = clientWith([['PutItem', 'GetItem'], arn(a)]);
    await client.send(new PutCommand({ TableName: a, Item: { id: 'x', text: 'grün 🟢', large: 'y'.repeat(300_000) } }));
    const { Item } = await client.send(get(a));
    expect(Item).toEqual({ id: 'x', text: 'grün 🟢', large: 'y'.repeat(300_000) });
  });

  test.each([
    [
      'a batch over two tables',
      batchGet,
      [
        [['BatchGetItem'], arn(a)],
        [['BatchGetItem'], arn(b)],
      ],
    ],
    ['an index', queryIndex, [[['Query'], `${arn(a)}/index/byOwner`]]],
    [
      'a transaction, by the action of each item',
      transactWrite,
      [
        [['PutItem'], arn(a)],
        [['UpdateItem', 'DeleteItem', 'ConditionCheckItem'], arn(b)],
      ],
    ],
    ['a transaction of reads', transactGet, [[['GetItem'], arn(a)]]],
  ] as const)('%s', async (_, command, grants) => {
    const client = clientWith(...(grants as unknown as Parameters<typeof clientWith>));
    await expect(client.send(command as never)).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
  });
});

describe('a role is refused what it is not granted, in the words of AWS', () => {
  const refused = (action: string, resource: string) => ({
    name: 'AccessDeniedException',
    message:
      `User: arn:aws:sts::1:assumed-role/role/fixture is not authorized to perform: dynamodb:${action} ` +
      `on resource: ${resource} because no identity-based policy allows the dynamodb:${action} action`,
    $metadata: { httpStatusCode: 400 },
  });

  test.each([
    ['another action', get(a), [[['PutItem'], arn(a)]], refused('GetItem', arn(a))],
    ['another table', get(b), [[['GetItem'], arn(a)]], refused('GetItem', arn(b))],
    ['one table of a batch', batchGet, [[['BatchGetItem'], arn(a)]], refused('BatchGetItem', arn(b))],
    ['an index whose table is granted', queryIndex, [[['Query'], arn(a)]], refused('Query', `${arn(a)}/index/byOwner`)],
    [
      'one item of a transaction',
      transactWrite,
      [
        [['PutItem'], arn(a)],
        [['UpdateItem', 'DeleteItem'], arn(b)],
      ],
      refused('ConditionCheckItem', arn(b)),
    ],
    ['a transaction under its own name', transactWrite, [[['TransactWriteItems'], '*']], refused('PutItem', arn(a))],
    ['a read in a transaction', transactGet, [[['Query'], arn(a)]], refused('GetItem', arn(a))],
  ] as const)('%s', async (_, command, grants, error) => {
    const client = clientWith(...(grants as unknown as Parameters<typeof clientWith>));
    await expect(client.send(command as never)).rejects.toMatchObject(error);
  });

  test('a deny wins', async () => {
    const client = clientWith([['*'], '*'], [['GetItem'], arn(a), 'Deny']);
    await expect(client.send(get(a))).rejects.toThrow('with an explicit deny in an identity-based policy');
  });

  test('who has no access key of the gate is nobody', async () => {
    await expect(clientAs('ASIASTRANGER').send(get(a))).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
  });

  test('a refused transaction leaves nothing behind', async () => {
    const TransactItems = [putInto(a, 'refused'), putInto(b, 'refused')];
    await expect(clientWith([['PutItem'], arn(a)]).send(new TransactWriteCommand({ TransactItems }))).rejects.toThrow();
    const command = new GetCommand({ TableName: a, Key: { id: 'refused' }, ConsistentRead: true });
    expect(await clientWith([['GetItem'], arn(a)]).send(command)).not.toHaveProperty('Item');
  });
});
