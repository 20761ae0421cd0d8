import { EventEmitter } from 'node:events';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  ExecuteStatementCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type DynamoDbProxy, type StoreCall, startDynamoDbProxy } from '../src/dynamodb/dynamodb-proxy.ts';
import { createTables } from '../src/dynamodb/tables.ts';
import { compilePolicies } from '../src/iam/policies.ts';
import type { TelemetryEmitter } from '../src/stack-version.ts';
import { stackOf } from './fixture.ts';

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
const stack = stackOf({ A: table('A'), B: table('B') });
const prefix = `proxy${process.pid}-`;
const [a, b] = [`${prefix}A`, `${prefix}B`];
const arn = (name: string) => `arn:aws:dynamodb:eu-central-1:000000000000:table/${name}`;
const credentials = (accessKeyId: string) => ({ accessKeyId, secretAccessKey: 'secret' });

const events: TelemetryEmitter = new EventEmitter();
let proxy: DynamoDbProxy;
const clients: DynamoDBClient[] = [];
beforeAll(async () => {
  const endpoint = inject('dynamoDbEndpoint');
  const admin = new DynamoDBClient({ endpoint, region: 'eu-central-1', credentials: credentials('admin') });
  clients.push(admin);
  await createTables(admin, stack, prefix);
  proxy = await startDynamoDbProxy(endpoint, { events });
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await proxy.close();
});

type Condition = Readonly<Record<string, Readonly<Record<string, string[]>>>>;
type Grant = readonly [actions: readonly string[], resource: string, effect?: 'Allow' | 'Deny', condition?: Condition];

/** Returns a client in a role with these grants of actions on resources. */
const clientWith = (...grants: readonly Grant[]) => {
  const Statement = grants.map(([actions, Resource, Effect = 'Allow', Condition = {}]) => ({
    Effect,
    Resource,
    Action: actions.map((action) => `dynamodb:${action}`),
    Condition,
  }));
  const principal = { arn: 'arn:aws:sts::1:assumed-role/role/fixture', decide: compilePolicies([{ Statement }]) };
  return clientAs(proxy.issueAccessKeyId(principal));
};

const clientAs = (accessKeyId: string) => {
  const client = new DynamoDBClient({
    endpoint: proxy.endpoint,
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

describe('a role has the access that it is granted', () => {
  test('an item written through the proxy is read back', async () => {
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
    const client = clientWith(...grants);
    await expect(client.send(command as never)).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
  });
});

describe('a role is refused all other access, with AWS’s message', () => {
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
    const client = clientWith(...grants);
    await expect(client.send(command as never)).rejects.toMatchObject(error);
  });

  test('an operation with unknown tables is an error that names it', async () => {
    const select = new ExecuteStatementCommand({ Statement: `SELECT * FROM "${a}"` });
    await expect(clientWith([['*'], '*']).send(select)).rejects.toThrow('operation ExecuteStatement of DynamoDB');
  });

  test('a write outside of a transaction, granted only within one', async () => {
    const inTransactions = { 'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': ['TransactWriteItems'] } };
    const client = clientWith([['PutItem', 'GetItem'], arn(a), 'Allow', inTransactions]);
    const inTransaction = new TransactWriteCommand({ TransactItems: [putInto(a, 'together')] });
    await expect(client.send(inTransaction)).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
    const alone = new PutCommand({ TableName: a, Item: { id: 'alone' } });
    await expect(client.send(alone)).rejects.toMatchObject(refused('PutItem', arn(a)));
    await expect(client.send(transactGet)).rejects.toMatchObject(refused('GetItem', arn(a)));
  });

  test('a grant for some attributes covers requests with no others in key, item and expressions', async () => {
    const ofTwo = { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['id', 'note'] } };
    const client = clientWith([['BatchWriteItem', 'PutItem', 'UpdateItem'], arn(a), 'Allow', ofTwo]);
    const update = (more: object) => ({
      TableName: a,
      Key: { id: 'noted' },
      UpdateExpression: 'SET note = :v',
      ExpressionAttributeValues: { ':v': 1 },
      ...more,
    });
    const comparing = { ConditionExpression: 'attribute_not_exists(id) OR note < :v' };
    await client.send(new UpdateCommand(update({})));
    await client.send(new UpdateCommand(update({ ...comparing, ExpressionAttributeValues: { ':v': 2 } })));
    await client.send(
      new BatchWriteCommand({ RequestItems: { [a]: [{ PutRequest: { Item: { id: 'x', note: 1 } } }] } }),
    );
    const others = [
      { UpdateExpression: 'SET note = :v, hash = :v' },
      { UpdateExpression: 'SET note = :v REMOVE #h', ExpressionAttributeNames: { '#h': 'hash' } },
      { ConditionExpression: 'attribute_exists(hash)' },
    ];
    for (const other of others) {
      await expect(client.send(new UpdateCommand(update(other)))).rejects.toMatchObject(refused('UpdateItem', arn(a)));
      const together = new TransactWriteCommand({ TransactItems: [{ Update: update(other) }] });
      await expect(client.send(together)).rejects.toMatchObject(refused('UpdateItem', arn(a)));
    }
    const put = new PutCommand({ TableName: a, Item: { id: 'noted', hash: 1 } });
    await expect(client.send(put)).rejects.toMatchObject(refused('PutItem', arn(a)));
    const batch = new BatchWriteCommand({ RequestItems: { [a]: [{ PutRequest: { Item: { id: 'x', hash: 1 } } }] } });
    await expect(client.send(batch)).rejects.toMatchObject(refused('BatchWriteItem', arn(a)));
  });

  test('a deny takes precedence', async () => {
    const client = clientWith([['*'], '*'], [['GetItem'], arn(a), 'Deny']);
    await expect(client.send(get(a))).rejects.toThrow('with an explicit deny in an identity-based policy');
  });

  test('a caller without an access key of the proxy is refused', async () => {
    await expect(clientAs('ASIASTRANGER').send(get(a))).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
  });

  test('a refused transaction writes nothing', async () => {
    const TransactItems = [putInto(a, 'refused'), putInto(b, 'refused')];
    await expect(clientWith([['PutItem'], arn(a)]).send(new TransactWriteCommand({ TransactItems }))).rejects.toThrow();
    const command = new GetCommand({ TableName: a, Key: { id: 'refused' }, ConsistentRead: true });
    expect(await clientWith([['GetItem'], arn(a)]).send(command)).not.toHaveProperty('Item');
  });
});

const everything: Grant = [
  ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem', 'BatchGetItem', 'Query'],
  '*',
];

const inAnyOrder = (items: readonly object[]) =>
  expect.arrayContaining(items.map((item) => expect.objectContaining(item)));

/** Returns the calls that the proxy reports during `act`. */
const observing = async (act: () => Promise<unknown>): Promise<StoreCall[]> => {
  const calls: StoreCall[] = [];
  const listener = (call: StoreCall) => void calls.push(call);
  events.on('storeCall', listener);
  await act().finally(() => events.off('storeCall', listener));
  return calls;
};

describe('an observed call', () => {
  test.each([
    ['reads', get(a), { operation: 'GetItem', tables: [a], consumed: [{ table: a, writeUnits: 0 }] }],
    ['reads of an index', queryIndex, { operation: 'Query', tables: [a], consumed: [{ table: a, writeUnits: 0 }] }],
    [
      'writes',
      new PutCommand({ TableName: a, Item: { id: 'w' } }),
      { operation: 'PutItem', tables: [a], consumed: [{ table: a, readUnits: 0, writeUnits: 1 }] },
    ],
    [
      'transactions over two tables',
      transactWrite,
      { operation: 'TransactWriteItems', tables: [a, b], consumed: inAnyOrder([{ table: a }, { table: b }]) },
    ],
    ['batches over two tables', batchGet, { operation: 'BatchGetItem', tables: [a, b] }],
  ])('reports the units that %s have consumed, by table', async (_, command, expected) => {
    const [call] = await observing(() => clientWith(everything).send(command as never));
    expect(call).toMatchObject({ ...expected, status: 200 });
    expect(call?.latencyMs).toBeGreaterThan(0);
  });

  test('has the same answer as an unobserved one, except for the consumed capacity', async () => {
    const client = clientWith(everything);
    await client.send(new PutCommand({ TableName: a, Item: { id: 'x', text: 'grün 🟢' } }));
    const { $metadata: _, ...unobserved } = await client.send(get(a));
    let answer: object = {};
    await observing(async () => {
      const { $metadata: __, ...output } = await client.send(get(a));
      answer = output;
    });
    expect(unobserved).not.toHaveProperty('ConsumedCapacity.TableName');
    expect(answer).toEqual({ ...unobserved, ConsumedCapacity: { TableName: a, CapacityUnits: expect.any(Number) } });
  });

  test('that fails is reported with its status, and its error is unchanged', async () => {
    const put = new PutCommand({ TableName: a, Item: { id: 'x' }, ConditionExpression: 'attribute_exists(nothing)' });
    const [call] = await observing(() =>
      expect(clientWith(everything).send(put)).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' }),
    );
    expect(call).toMatchObject({ operation: 'PutItem', tables: [a], status: 400, consumed: [] });
  });
});

describe('a fault', () => {
  afterEach(() => proxy.injectFault(undefined));

  test('down closes the connection of every call until it ends', async () => {
    const client = clientWith(everything);
    proxy.injectFault({ kind: 'down' });
    await expect(client.send(get(a))).rejects.toMatchObject({ code: 'ECONNRESET' });
    proxy.injectFault(undefined);
    await expect(client.send(get(a))).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
  });

  test('down of one table closes only the connections of calls that use the table', async () => {
    const client = clientWith(everything);
    proxy.injectFault({ kind: 'down', table: b });
    await expect(client.send(batchGet)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(client.send(get(a))).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
  });

  test('slow delays all calls that use the table, and no others', async () => {
    const client = clientWith(everything);
    proxy.injectFault({ kind: 'slow', table: b, delayMs: 3_600_000 });
    const abandon = new AbortController();
    const delayed = client.send(batchGet, { abortSignal: abandon.signal }).catch(({ name }) => name);
    await client.send(get(a));
    abandon.abort();
    expect(await delayed).toBe('AbortError');

    const delayMs = 50;
    proxy.injectFault({ kind: 'slow', table: b, delayMs });
    const calls = [...(await observing(() => client.send(batchGet))), ...(await observing(() => client.send(get(b))))];
    expect(calls.map(({ latencyMs }) => latencyMs >= delayMs)).toEqual([true, true]);
  });
});
