import { setTimeout } from 'node:timers/promises';
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { clientConfigOf } from 'serve-stack/dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { batchGet } from '../../../lambdas/data/store/reads.ts';
import { connectStore } from '../../../lambdas/data/store/store.ts';
import { patience } from '../../support/time.ts';
import { injectFault, openWorld } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let store: typeof world.store;
let TableName: string;
beforeAll(async () => {
  world = await openWorld();
  const settings = clientConfigOf(world.proxy.endpoint);
  store = connectStore(world.store.tableName, patience.requestTimeouts, settings).store;
  TableName = store.tableName('TokenBuckets');
});

const value = {
  text: 'é😀',
  numbers: [0, -0.5, 1e15],
  isTrue: true,
  nothing: null,
  bytes: Uint8Array.of(0, 255),
  set: new Set(['a', 'b']),
  left: undefined,
  inner: { left: undefined, list: [{ a: 1 }, []] },
};

const updateOf = (bucketId: string, more: object = {}) =>
  new UpdateCommand({
    TableName,
    Key: { bucketId },
    UpdateExpression: 'SET #kept = :value',
    ExpressionAttributeNames: { '#kept': 'kept' },
    ExpressionAttributeValues: { ':value': value },
    ...more,
  });

describe('a frequent command has the answer that the document client returns', () => {
  const answers = async (command: () => BatchGetCommand | PutCommand | UpdateCommand) => {
    const client = new DynamoDBClient(clientConfigOf(world.proxy.endpoint));
    const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
    const [expected, answer] = [await documents.send(command() as never), await store.send(command() as never)];
    return [answer, expected].map((each) => ({ ...(each as object), $metadata: undefined }));
  };

  test.each(['NONE', 'ALL_NEW', 'UPDATED_NEW', 'ALL_OLD'] as const)(
    'an update that returns %s',
    async (ReturnValues) => {
      await store.send(updateOf('kept'));
      const [answer, expected] = await answers(() =>
        updateOf('kept', { ReturnValues, ReturnConsumedCapacity: 'TOTAL' }),
      );
      expect(answer).toEqual(expected);
    },
  );

  test.each(['NONE', 'ALL_OLD'] as const)('a replacement that returns %s', async (ReturnValues) => {
    await store.send(updateOf('kept'));
    const conditional = { ConditionExpression: 'kept <> :other', ExpressionAttributeValues: { ':other': 1 } };
    const put = { TableName, Item: { bucketId: 'kept', kept: value }, ...conditional, ReturnValues };
    const [answer, expected] = await answers(() => new PutCommand(put));
    expect(answer).toEqual(expected);
    const items = await batchGet(store, { [TableName]: { Keys: [{ bucketId: 'kept' }] } });
    expect(items(TableName)).toMatchObject([{ kept: { text: value.text, inner: { list: value.inner.list } } }]);
  });

  test('a batch read of items that exist or not', async () => {
    await store.send(updateOf('kept'));
    const Keys = ['kept', 'missing'].map((bucketId) => ({ bucketId }));
    const RequestItems = { [TableName]: { Keys, ConsistentRead: true } };
    const [answer, expected] = await answers(() => new BatchGetCommand({ RequestItems }));
    expect(answer).toEqual(expected);
    expect(answer).toMatchObject({ Responses: { [TableName]: [{ kept: { text: value.text } }] } });
  });

  test('a condition that does not hold', async () => {
    const failing = updateOf('absent', { ConditionExpression: 'attribute_exists(bucketId)' });
    await expect(store.send(failing)).rejects.toThrow(ConditionalCheckFailedException);
  });
});

test('keys that a batch read left unprocessed are read again', async () => {
  await store.send(updateOf('left'));
  let reads = 0;
  injectFault(world, () => (reads++ === 0 ? 'unprocessed' : undefined));
  const items = await batchGet(store, { [TableName]: { Keys: [{ bucketId: 'left' }] } });
  expect(items(TableName)).toMatchObject([{ bucketId: 'left' }]);
  expect(reads).toBe(2);
});

test('after the deadline the caller waits no longer, and no attempt begins', async () => {
  const deadline = new AbortController();
  let attempts = 0;
  injectFault(world, ({ input }) => {
    if (input.Key?.bucketId.S !== 'late') return undefined;
    attempts++;
    deadline.abort();
    return 'throttle';
  });
  const sent = store.send(updateOf('late'), { abortSignal: deadline.signal });
  await expect(sent).rejects.toMatchObject({ name: 'StoreUnavailableError' });
  // The SDK would wait for at most 150 ms before each of the other attempts.
  await setTimeout(500);
  expect(attempts).toBe(1);
});

test('a call without answer ends at the deadline', { timeout: 20_000 }, async () => {
  const deadline = new AbortController();
  injectFault(world, () => {
    deadline.abort();
    return 'hang';
  });
  const sent = store.send(updateOf('unanswered'), { abortSignal: deadline.signal });
  await expect(sent).rejects.toMatchObject({ name: 'StoreUnavailableError' });
});
