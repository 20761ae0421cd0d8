import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { startDynamoDbProxy } from 'serve-stack/dynamodb';
import { principalInRole } from 'serve-stack/services';
import { createResolver, loadStack, resourcesOf } from 'serve-stack/template';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { findApiKey, keyItemKey, recordKeyUse } from '../../../lambdas/data/api-keys/api-keys.ts';
import { createStore, type Store } from '../../../lambdas/data/store/store.ts';
import type { StoredApiKey } from '../../../lambdas/domain/api-key.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let proxy: Awaited<ReturnType<typeof startDynamoDbProxy>>;
beforeAll(async () => {
  world = await openWorld();
  proxy = await startDynamoDbProxy(inject('dynamoDbEndpoint'), {
    environment: loadStack(inject('assemblyDirectory')).environment,
  });
});
afterAll(() => proxy.close());

/**
 * Returns a store over the world's tables, with the access of the role that the operation's function has in the synthesized
 * template.
 */
const storeInRoleOf = (operationId: string): Store => {
  const stack = loadStack(inject('assemblyDirectory'));
  const resolve = createResolver(stack, { tablePrefix: world.store.tableName('ApiKeys').slice(0, -'ApiKeys'.length) });
  const name = `${stack.name}-${operationId}`;
  const found = resourcesOf(stack.template, 'AWS::Lambda::Function').find(
    ({ Properties }) => resolve(Properties?.FunctionName) === name,
  );
  const roleArn = resolve<string>(found?.Properties?.Role);
  const accessKeyId = proxy.issueAccessKeyId(principalInRole(stack.template, resolve, roleArn, name));
  const client = new DynamoDBClient({
    endpoint: proxy.endpoint,
    region: stack.environment.region,
    credentials: { accessKeyId, secretAccessKey: 'secret' },
  });
  return createStore(client, world.store.tableName);
};

const refusal = (action: string) => ({
  name: 'AccessDeniedException',
  message: expect.stringContaining(`dynamodb:${action}`),
});

describe('the function of an operation that changes no keys', () => {
  /** Creates a key, and returns its record and a function that builds an update of the key. */
  const prepare = async () => {
    const { companyId, key } = await onboard(world.store);
    const record = (await findApiKey(world.store, companyId, key.keyId)) as StoredApiKey;
    const update = (more: Partial<UpdateCommandInput>): UpdateCommandInput => ({
      TableName: world.store.tableName('ApiKeys'),
      Key: keyItemKey(key),
      ExpressionAttributeValues: { ':value': '2036-03-10' },
      ...more,
    });
    return { record, update };
  };

  test.each(operationIds)('may note the use: %s', async (operationId) => {
    const { record } = await prepare();
    expect(await recordKeyUse(storeInRoleOf(operationId), record, startMs)).toBe(true);
  });

  test.each<[string, Partial<UpdateCommandInput>]>([
    ['set another attribute', { UpdateExpression: 'SET expiresAtMs = :value' }],
    ['set its hash', { UpdateExpression: 'SET #hash = :value', ExpressionAttributeNames: { '#hash': 'hash' } }],
    ['set another attribute beside the use', { UpdateExpression: 'SET lastUsedOn = :value, companyName = :value' }],
    ['remove an attribute', { UpdateExpression: 'SET lastUsedOn = :value REMOVE slot' }],
    [
      'note the use depending on another attribute',
      { UpdateExpression: 'SET lastUsedOn = :value', ConditionExpression: 'expiresAtMs < :value' },
    ],
  ])('may not %s, with or without a transaction', async (_, change) => {
    const { record, update } = await prepare();
    const store = storeInRoleOf('getContract');
    await expect(store.send(new UpdateCommand(update(change)))).rejects.toMatchObject(refusal('UpdateItem'));
    const TransactItems = [{ Update: update(change) }] as TransactWriteCommandInput['TransactItems'];
    await expect(store.send(new TransactWriteCommand({ TransactItems }))).rejects.toMatchObject(refusal('UpdateItem'));
    expect(await findApiKey(world.store, record.companyId, record.keyId)).toEqual(record);
  });

  test('may not query the keys of a company', async () => {
    const { record } = await prepare();
    const query = (operationId: string) => findApiKey(storeInRoleOf(operationId), record.companyId, record.keyId);
    expect(await query('deleteApiKey')).toEqual(record);
    await expect(query('getContract')).rejects.toMatchObject(refusal('Query'));
  });

  test('may not put a key, nor an audit row', async () => {
    const store = storeInRoleOf('getContract');
    for (const [table, Item] of [
      ['ApiKeys', { companyId: 'any', sk: 'any' }],
      ['AuditLog', { subject: 'any', sk: 'any' }],
    ] as const) {
      const put = new PutCommand({ TableName: store.tableName(table), Item });
      await expect(store.send(put)).rejects.toMatchObject(refusal('PutItem'));
    }
  });
});
