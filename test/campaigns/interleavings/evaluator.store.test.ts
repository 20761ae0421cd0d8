import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TableName, tables } from '../../../lambdas/api/tables.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { campaign, playRounds, size } from '../../support/campaign.ts';
import { seed } from '../../support/random.ts';
import { openWorld } from '../../support/world.ts';
import { attributes, condition, type Expression, update } from './random-expressions.ts';
import { calmStore, openMemory } from './store/memory.ts';
import { emptyTables, type Item } from './store/tables.ts';

/** The store in memory answers as DynamoDB Local does: what the orders show of the one holds of the other. */

let world: Awaited<ReturnType<typeof openWorld>>;
let stores: { readonly real: Store; readonly memory: Store };
let keys = 0;

beforeAll(async () => {
  world = await openWorld();
  const definitions = Object.fromEntries(
    (['Appliances', 'ApiKeys'] as const).map((name) => [world.store.tableName(name), tables[name]]),
  );
  stores = { real: world.store, memory: calmStore(openMemory(definitions, emptyTables(definitions))) };
});

const nameOf = (table: TableName) => world.store.tableName(table);

/** A key that no run before has used. */
const newKeys = (count: number) =>
  Array.from({ length: count }, () => ({ gatewayId: `gw-${keys++}`, sk: 'a-sort-key' }));

type Command = { readonly input: unknown };

/** What comes of a command, with what a partner of the store can tell apart: an answer, a condition that fails, an error. */
const outcomeOf = async (store: Store, command: Command): Promise<unknown> => {
  try {
    const { $metadata, Count, ScannedCount, ...answer } = (await store.send(command as never)) as Record<
      string,
      unknown
    >;
    const { ConsumedCapacity, ItemCollectionMetrics, ...rest } = answer;
    return { answer: rest };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException)
      return { isAllowed: false, old: error.Item && unmarshall(error.Item) };
    if (error instanceof TransactionCanceledException) {
      const reasons = error.CancellationReasons ?? [];
      // A fault in an item is told by the other items' reasons, too: it is an error whatever they say.
      if (reasons.some(({ Code }) => Code === 'ValidationError')) return 'refused';
      return { reasons: reasons.map(({ Code, Item }) => [Code, Item && unmarshall(Item)]) };
    }
    return 'refused';
  }
};

/** Sends both the same, and tells what came of it where both say the same. */
const same = async (command: () => Command): Promise<unknown> => {
  const [real, memory] = [await outcomeOf(stores.real, command()), await outcomeOf(stores.memory, command())];
  expect(memory).toEqual(real);
  return real;
};

const put = (item: object) => () => new PutCommand({ TableName: nameOf('Appliances'), Item: item as never });

const get = (key: object) => () =>
  new GetCommand({ TableName: nameOf('Appliances'), Key: key as never, ConsistentRead: true });

/** What a command says of its expressions; DynamoDB refuses what is empty. */
const givenOf = (...expressions: (Expression | undefined)[]) => {
  const names = Object.assign({}, ...expressions.map((each) => each?.names));
  const values = Object.assign({}, ...expressions.map((each) => each?.values));
  return {
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
};

/** The same with other names for its values, so that it can stand beside another expression. */
const renamed = ({ text, names, values }: Expression): Expression => ({
  text: text.replaceAll(':v', ':w'),
  names,
  values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name.replace(':v', ':w'), value])),
});

/** In each round. */
const numRuns = size({ test: 8, prove: 20 });

describe('the store in memory answers as DynamoDB Local does', () => {
  test('random conditions and updates of one item', campaign, async (context) => {
    const counts = { applied: 0, failed: 0, refused: 0 };
    const property = fc.asyncProperty(
      fc.option(attributes, { nil: undefined, freq: 5 }),
      fc.option(condition, { nil: undefined }),
      update,
      async (before, allowed, change) => {
        const [key] = newKeys(1);
        if (before) await same(put({ ...key, ...before }));
        const allowedAs = allowed && renamed(allowed);
        const outcome = await same(
          () =>
            new UpdateCommand({
              TableName: nameOf('Appliances'),
              Key: key,
              UpdateExpression: change.text,
              ...(allowedAs && { ConditionExpression: allowedAs.text }),
              ...givenOf(change, allowedAs),
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
        );
        counts[kindOf(outcome)]++;
        await same(get(key as object));
      },
    );
    const sameOperands = { text: 'SET a = if_not_exists(m.y, m.y)', names: {}, values: {} };
    const single = { text: 'SET a = if_not_exists(a, b)', names: {}, values: {} };
    const absent = { text: 'attribute_exists(a)', names: {}, values: {} };
    const unneeded = { text: 'SET a = if_not_exists(m, a)', names: {}, values: {} };
    // What a small run may not draw.
    const examples: [Item | undefined, Expression | undefined, Expression][] = [
      [{ b: 1 }, undefined, single],
      [undefined, absent, single],
      // Refused before its condition is looked at.
      [undefined, absent, sameOperands],
      // Refused for an attribute that is not there, though its value is not needed.
      [{ m: {} }, undefined, unneeded],
    ];
    await playRounds(context, { test: 1, seconds: 20, full: 250 }, (seed, round) =>
      fc.assert(property, { seed, numRuns, examples: round === 0 ? examples : [] }),
    );
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
    await context.annotate(`${counts.applied} applied, ${counts.failed} not allowed, ${counts.refused} refused`);
  });

  test('random conditions of a put', campaign, async (context) => {
    const property = fc.asyncProperty(
      fc.option(attributes, { nil: undefined, freq: 5 }),
      condition,
      attributes,
      async (before, { text, ...given }, after) => {
        const [key] = newKeys(1);
        if (before) await same(put({ ...key, ...before }));
        const Item = { ...key, ...after } as never;
        await same(
          () =>
            new PutCommand({
              TableName: nameOf('Appliances'),
              Item,
              ConditionExpression: text,
              ...givenOf({ text, ...given }),
            }),
        );
        await same(get(key as object));
      },
    );
    await playRounds(context, { test: 1, seconds: 10, full: 250 }, (seed) => fc.assert(property, { seed, numRuns }));
  });

  const itemWrite = fc.record({
    key: fc.integer({ min: 0, max: 5 }),
    kind: fc.constantFrom('Put', 'Update', 'Delete', 'ConditionCheck'),
    allowed: condition,
    after: attributes,
    change: update,
    showsOld: fc.boolean(),
  });

  test('random transactions', campaign, async (context) => {
    const property = fc.asyncProperty(
      fc.array(attributes, { minLength: 6, maxLength: 6 }),
      fc.uniqueArray(itemWrite, { minLength: 1, maxLength: 3, selector: ({ key }) => key }),
      async (before, writes) => {
        const used = newKeys(6);
        for (const [index, each] of before.slice(0, 4).entries()) await same(put({ ...used[index], ...each }));
        const TransactItems = writes.map(({ key, kind, allowed, after, change, showsOld }) => {
          const Key = used[key] as (typeof used)[number];
          const base = {
            TableName: nameOf('Appliances'),
            ConditionExpression: renamed(allowed).text,
            ...(showsOld && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }),
          };
          const given = givenOf(renamed(allowed));
          const made = {
            Put: { ...base, ...given, Item: { ...Key, ...after } },
            Update: { ...base, ...givenOf(change, renamed(allowed)), Key, UpdateExpression: change.text },
            Delete: { ...base, ...given, Key },
            ConditionCheck: { ...base, ...given, Key },
          };
          return { [kind]: made[kind] } as NonNullable<TransactWriteCommandInput['TransactItems']>[number];
        });
        await same(() => new TransactWriteCommand({ TransactItems }));
        for (const key of used) await same(get(key));
      },
    );
    await playRounds(context, { test: 1, seconds: 15, full: 50 }, (seed) => fc.assert(property, { seed, numRuns }));
  });

  test('a token by which a transaction applies once', async () => {
    const [key] = newKeys(1);
    await same(put({ ...key, a: 0 }));
    const Update = {
      ...{ TableName: nameOf('Appliances'), Key: key, UpdateExpression: 'SET a = a + :one' },
      ExpressionAttributeValues: { ':one': 1 },
    };
    const command = () =>
      new TransactWriteCommand({ TransactItems: [{ Update }], ClientRequestToken: `token-${seed}` });
    await same(command);
    await same(command);
    expect(await same(get(key as object))).toMatchObject({ answer: { Item: { a: 1 } } });
  });

  const sortKeys = [
    'KEY#a',
    'KEY#b',
    'KEY#bé',
    'KEY#B',
    'SLOT#1',
    'SLOT#2',
    'SLOT#10',
    'SLOT#\u{ffff}',
    'SLOT#\u{1f600}',
  ];
  const range = fc.oneof(
    fc.constant(undefined),
    fc
      .tuple(fc.constantFrom('=', '<', '<=', '>', '>=', 'begins_with'), fc.constantFrom(...sortKeys, 'KEY#', 'S', 'T'))
      .map(([sign, value]) =>
        sign === 'begins_with'
          ? { text: 'begins_with(sk, :sk)', value, isComparison: false }
          : { text: `sk ${sign} :sk`, value, isComparison: true },
      ),
  );

  test('random queries and scans, page after page', campaign, async (context) => {
    const property = fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...sortKeys), attributes), { maxLength: 8 }),
      range,
      fc.option(condition, { nil: undefined }),
      fc.record({ limit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }), isForward: fc.boolean() }),
      async (rows, sort, filter, { limit, isForward }) => {
        const companyId = `company-${keys++}`;
        for (const [sk, row] of rows)
          await same(() => new PutCommand({ TableName: nameOf('ApiKeys'), Item: { ...row, companyId, sk } }));
        const query: QueryCommandInput = {
          TableName: nameOf('ApiKeys'),
          ConsistentRead: true,
          KeyConditionExpression: `companyId = :company${sort ? ` AND ${sort.text}` : ''}`,
          ...(filter && { FilterExpression: filter.text, ExpressionAttributeNames: undefined }),
          ...givenOf(filter, {
            text: '',
            names: {},
            values: { ':company': companyId, ...(sort && { ':sk': sort.value }) },
          }),
          ScanIndexForward: isForward,
          // Behind the end of such a range DynamoDB Local sometimes tells that no more comes, which DynamoDB does not.
          Limit: sort?.isComparison ? undefined : limit,
        };
        let after: QueryCommandInput['ExclusiveStartKey'];
        do {
          const page = (await same(() => new QueryCommand({ ...query, ExclusiveStartKey: after }))) as {
            answer?: { LastEvaluatedKey?: typeof after };
          };
          after = page.answer?.LastEvaluatedKey;
        } while (after);
      },
    );
    await playRounds(context, { test: 1, seconds: 10, full: 50 }, (seed) => fc.assert(property, { seed, numRuns }));
  });

  test('a page behind a key that no item has begins with the next', async () => {
    for (const sk of ['EVENT#2', 'EVENT#5', 'HEAD'])
      await same(() => new PutCommand({ TableName: nameOf('ApiKeys'), Item: { companyId: 'between', sk } }));
    for (const sk of ['EVENT#0', 'EVENT#3', 'EVENT#5', 'EVENT#9'])
      await same(
        () =>
          new QueryCommand({
            ...{ TableName: nameOf('ApiKeys'), ConsistentRead: true, ExclusiveStartKey: { companyId: 'between', sk } },
            KeyConditionExpression: 'companyId = :company AND begins_with(sk, :prefix)',
            ExpressionAttributeValues: { ':company': 'between', ':prefix': 'EVENT#' },
          }),
      );
  });

  test('an index, a scan and a batch read: the same items, in whatever order', async () => {
    const companyIds = ['index-1', 'index-2', 'index-3'];
    for (const [index, companyId] of companyIds.entries())
      for (const month of ['2036-09', '2036-10', undefined])
        await same(
          () =>
            new PutCommand({
              TableName: nameOf('ApiKeys'),
              Item: { companyId, sk: `SLOT#${month}`, slot: index, ...(month && { expiryMonth: month }) },
            }),
        );
    const inOrder = async (store: Store, command: Command, items: (answer: never) => unknown[] | undefined) =>
      (items((await store.send(command as never)) as never) ?? [])
        .map((item) => JSON.stringify(Object.entries(item as object).sort()))
        .sort();
    const itemsOf = ({ Items }: { Items?: unknown[] }) => Items;
    const index = new QueryCommand({
      ...{ TableName: nameOf('ApiKeys'), IndexName: 'byExpiryMonth', KeyConditionExpression: 'expiryMonth = :month' },
      ExpressionAttributeValues: { ':month': '2036-09' },
    });
    const scan = new ScanCommand({
      ...{ TableName: nameOf('ApiKeys'), FilterExpression: 'sk = :sk', ConsistentRead: true },
      ExpressionAttributeValues: { ':sk': 'SLOT#2036-10' },
    });
    const batch = new BatchGetCommand({
      RequestItems: {
        [nameOf('ApiKeys')]: { Keys: companyIds.map((companyId) => ({ companyId, sk: 'SLOT#2036-09' })) },
      },
    });
    const fromBatch = ({ Responses }: { Responses?: Record<string, unknown[]> }) => Responses?.[nameOf('ApiKeys')];
    for (const [command, items] of [
      [index, itemsOf],
      [scan, itemsOf],
      [batch, fromBatch],
    ] as const) {
      const real = await inOrder(stores.real, command, items);
      expect(real).toHaveLength(3);
      expect(await inOrder(stores.memory, command, items)).toEqual(real);
    }
  });
});

const kindOf = (outcome: unknown): 'applied' | 'failed' | 'refused' => {
  if (outcome === 'refused') return 'refused';
  return 'answer' in (outcome as object) ? 'applied' : 'failed';
};
