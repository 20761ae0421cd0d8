import {
  BatchGetCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TableName, tables } from '../../../lambdas/api/tables.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { campaign, playRounds, size } from '../../../test/support/campaign.ts';
import { calmStore, openMemory } from '../../../test/support/memory-store/memory.ts';
import { emptyTables, type Item } from '../../../test/support/memory-store/tables.ts';
import { seed } from '../../../test/support/random.ts';
import { openWorld } from '../../../test/support/world.ts';
import { outcomeOf } from './outcomes.ts';
import {
  attributes,
  condition,
  type Expression,
  givenOf,
  renamed,
  sortKeyRange,
  sortKeys,
  update,
} from './random-expressions.ts';

/** The store in memory answers as DynamoDB Local does, so the results of the orders hold for both. */

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

/** Returns a key that no earlier run has used. */
const newKey = () => ({ gatewayId: `gw-${keys++}`, sk: 'a-sort-key' });

/** Sends a command to both stores, expects the same outcome and returns it. */
const same = async <Input>(Kind: new (input: Input) => { readonly input: unknown }, input: Input): Promise<unknown> => {
  const [real, memory] = [
    await outcomeOf(stores.real, new Kind(input)),
    await outcomeOf(stores.memory, new Kind(input)),
  ];
  expect(memory).toEqual(real);
  return real;
};

const put = (Item: Record<string, unknown>) => same(PutCommand, { TableName: nameOf('Appliances'), Item });

const get = (Key: Record<string, unknown>) =>
  same(GetCommand, { TableName: nameOf('Appliances'), Key, ConsistentRead: true });

/** Per round. */
const numRuns = size({ test: 8, prove: 20 });

describe('the store in memory answers as DynamoDB Local does', () => {
  test('random conditions and updates of one item', campaign, async (context) => {
    const counts = { applied: 0, failed: 0, refused: 0 };
    const property = fc.asyncProperty(
      fc.option(attributes, { nil: undefined, freq: 5 }),
      fc.option(condition, { nil: undefined }),
      update,
      async (before, allowed, change) => {
        const key = newKey();
        if (before) await put({ ...key, ...before });
        const allowedAs = allowed && renamed(allowed);
        const outcome = await same(UpdateCommand, {
          TableName: nameOf('Appliances'),
          Key: key,
          UpdateExpression: change.text,
          ...(allowedAs && { ConditionExpression: allowedAs.text }),
          ...givenOf(change, allowedAs),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        });
        counts[kindOf(outcome)]++;
        await get(key);
      },
    );
    const sameOperands = { text: 'SET a = if_not_exists(m.y, m.y)', names: {}, values: {} };
    const single = { text: 'SET a = if_not_exists(a, b)', names: {}, values: {} };
    const absent = { text: 'attribute_exists(a)', names: {}, values: {} };
    const unneeded = { text: 'SET a = if_not_exists(m, a)', names: {}, values: {} };
    // Cases that a small run may not draw.
    const examples: [Item | undefined, Expression | undefined, Expression][] = [
      [{ b: 1 }, undefined, single],
      [undefined, absent, single],
      // Refused before its condition is evaluated.
      [undefined, absent, sameOperands],
      // Refused for a missing attribute, though its value is not needed.
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
        const key = newKey();
        if (before) await put({ ...key, ...before });
        const Item = { ...key, ...after } as never;
        await same(PutCommand, {
          TableName: nameOf('Appliances'),
          Item,
          ConditionExpression: text,
          ...givenOf({ text, ...given }),
        });
        await get(key);
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
        const used = Array.from({ length: 6 }, newKey);
        for (const [index, each] of before.slice(0, 4).entries()) await put({ ...used[index], ...each });
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
        await same(TransactWriteCommand, { TransactItems });
        for (const key of used) await get(key);
        const gets = used.map((Key) => ({ Get: { TableName: nameOf('Appliances'), Key } }));
        await same(TransactGetCommand, { TransactItems: gets });
      },
    );
    await playRounds(context, { test: 1, seconds: 15, full: 50 }, (seed) => fc.assert(property, { seed, numRuns }));
  });

  test('a transaction with a client token applies once', async () => {
    const key = newKey();
    await put({ ...key, a: 0 });
    const Update = {
      TableName: nameOf('Appliances'),
      Key: key,
      UpdateExpression: 'SET a = a + :one',
      ExpressionAttributeValues: { ':one': 1 },
    };
    const once = { TransactItems: [{ Update }], ClientRequestToken: `token-${seed}` };
    for (const _ of ['first', 'again']) await same(TransactWriteCommand, once);
    expect(await get(key)).toMatchObject({ answer: { Item: { a: 1 } } });
  });

  test('random queries and scans, page after page', campaign, async (context) => {
    const property = fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...sortKeys), attributes), { maxLength: 8 }),
      sortKeyRange,
      fc.option(condition, { nil: undefined }),
      fc.record({ limit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }), isForward: fc.boolean() }),
      async (rows, sort, filter, { limit, isForward }) => {
        const companyId = `company-${keys++}`;
        for (const [sk, row] of rows)
          await same(PutCommand, { TableName: nameOf('ApiKeys'), Item: { ...row, companyId, sk } });
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
          // Past the end of such a range, DynamoDB Local sometimes reports no further page, unlike DynamoDB.
          Limit: sort?.isComparison ? undefined : limit,
        };
        let after: QueryCommandInput['ExclusiveStartKey'];
        do {
          const page = (await same(QueryCommand, { ...query, ExclusiveStartKey: after })) as {
            answer?: { LastEvaluatedKey?: typeof after };
          };
          after = page.answer?.LastEvaluatedKey;
        } while (after);
      },
    );
    await playRounds(context, { test: 1, seconds: 10, full: 50 }, (seed) => fc.assert(property, { seed, numRuns }));
  });

  test('a page after a missing key begins with the next item', async () => {
    for (const sk of ['EVENT#2', 'EVENT#5', 'HEAD'])
      await same(PutCommand, { TableName: nameOf('ApiKeys'), Item: { companyId: 'between', sk } });
    for (const sk of ['EVENT#0', 'EVENT#3', 'EVENT#5', 'EVENT#9'])
      await same(QueryCommand, {
        TableName: nameOf('ApiKeys'),
        ConsistentRead: true,
        ExclusiveStartKey: { companyId: 'between', sk },
        KeyConditionExpression: 'companyId = :company AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':company': 'between', ':prefix': 'EVENT#' },
      });
  });

  test('numbers and sets that grow and shrink, and the size of a set and of a map', async () => {
    const key = newKey();
    const change = (UpdateExpression: string, value: unknown, ConditionExpression?: string) =>
      same(UpdateCommand, {
        TableName: nameOf('Appliances'),
        Key: key,
        UpdateExpression,
        ConditionExpression,
        ExpressionAttributeValues: { ':value': value, ...(ConditionExpression && { ':most': 2 }) },
      });
    const hasRoom = 'attribute_not_exists(ids) OR size(ids) < :most';
    for (const id of ['a', 'b', 'a', 'c']) await change('ADD ids :value', new Set([id]), hasRoom);
    await change('SET n = if_not_exists(n, :value) REMOVE m ADD asked :value', 1);
    await change('ADD asked :value', 2);
    for (const wrong of ['ADD ids :value', 'ADD n.x :value', 'DELETE asked :value']) await change(wrong, 1);
    const mapHasRoom = 'attribute_not_exists(m) OR size(m) < :most';
    for (const value of [{ a: 1 }, { a: 1, b: 2 }, {}]) await change('SET m = :value', value, mapHasRoom);
    for (const ids of [['b', 'x'], ['a'], ['a']]) await change('DELETE ids :value', new Set(ids));
    await get(key);
  });

  test('an index, a scan and a batch read: the same items, in any order', async () => {
    const TableName = nameOf('ApiKeys');
    const companyIds = ['index-1', 'index-2', 'index-3'];
    for (const [slot, companyId] of companyIds.entries())
      for (const month of ['2036-09', '2036-10', undefined]) {
        const Item = { companyId, sk: `SLOT#${month}`, slot, ...(month && { expiryMonth: month }) };
        await same(PutCommand, { TableName, Item });
      }
    const open = { openPartition: 'open#7', openSince: '2036-03-10', version: 1 };
    for (let item = 0; item < 3; item++)
      await same(PutCommand, { TableName: nameOf('Appliances'), Item: { ...newKey(), ...open } });
    const queryIndex = (table: TableName, IndexName: string, name: string, value: string) =>
      new QueryCommand({
        TableName: nameOf(table),
        IndexName,
        KeyConditionExpression: `${name} = :value`,
        ExpressionAttributeValues: { ':value': value },
      });
    const commands = [
      queryIndex('Appliances', 'byOpenSince', 'openPartition', open.openPartition),
      queryIndex('ApiKeys', 'byExpiryMonth', 'expiryMonth', '2036-09'),
      new ScanCommand({
        TableName,
        FilterExpression: 'sk = :sk',
        ConsistentRead: true,
        ExpressionAttributeValues: { ':sk': 'SLOT#2036-10' },
      }),
      new BatchGetCommand({
        RequestItems: { [TableName]: { Keys: companyIds.map((companyId) => ({ companyId, sk: 'SLOT#2036-09' })) } },
      }),
    ];
    const itemsOf = async (store: Store, command: { readonly input: unknown }) => {
      const answer = (await store.send(command as never)) as { Items?: Item[]; Responses?: Record<string, Item[]> };
      const items = answer.Items ?? answer.Responses?.[TableName] ?? [];
      return items.map((item) => JSON.stringify(Object.entries(item).sort())).sort();
    };
    for (const command of commands) {
      const real = await itemsOf(stores.real, command);
      expect(real).toHaveLength(3);
      expect(await itemsOf(stores.memory, command)).toEqual(real);
    }
  });
});

const kindOf = (outcome: unknown): 'applied' | 'failed' | 'refused' => {
  if (outcome === 'refused') return 'refused';
  return 'answer' in (outcome as object) ? 'applied' : 'failed';
};
