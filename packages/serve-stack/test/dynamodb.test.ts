import { describe, expect, test } from 'vitest';
import { accessesOf } from '../src/dynamodb/required-access.ts';
import { readTables, requireUnchangedTables } from '../src/dynamodb/tables.ts';
import { defaultEnvironment } from '../src/template/stack.ts';
import { stackOf } from './fixture.ts';

describe('table definitions', () => {
  const key = (AttributeName: string) => ({
    AttributeDefinitions: [{ AttributeName, AttributeType: 'S' }],
    KeySchema: [{ AttributeName, KeyType: 'HASH' }],
  });

  const table = (properties: object = {}, path?: string) => ({
    Type: 'AWS::DynamoDB::Table',
    Properties: { ...key('id'), ...properties },
    ...(path && { Metadata: { 'aws:cdk:path': path } }),
  });

  const index = { IndexName: 'byOwner', KeySchema: [], Projection: { ProjectionType: 'ALL' } };

  describe('a table is named', () => {
    const namesOf = (tables: Parameters<typeof stackOf>[0], prefix?: string) =>
      readTables(stackOf(tables), prefix).map(({ TableName }) => TableName);

    test.each<[string, Parameters<typeof stackOf>[0], string | undefined, string[]]>([
      ['as the source code does', { T1: table({}, 'S/Data/Books/Resource') }, undefined, ['Fixture-Books']],
      ['by its logical id, where its path is unknown', { T1: table() }, undefined, ['Fixture-T1']],
      [
        'by its logical id, if another table has its name',
        { T1: table({}, 'S/A/Table'), T2: table({}, 'S/B/Table') },
        'p-',
        ['p-T1', 'p-T2'],
      ],
      ['as the template names it', { T1: table({ TableName: 'books' }) }, undefined, ['books']],
      ['as the template names it, with the prefix', { T1: table({ TableName: 'books' }) }, 'p-', ['p-books']],
    ])('%s', (_, tables, prefix, names) => {
      expect(namesOf(tables, prefix)).toEqual(names);
    });
  });

  test('billing of a table and its indexes is left out: DynamoDB Local would refuse it', () => {
    const throughput = { ReadCapacityUnits: 5, WriteCapacityUnits: 5 };
    const [read] = readTables(
      stackOf({
        T1: table({
          ProvisionedThroughput: throughput,
          GlobalSecondaryIndexes: [{ ...index, ProvisionedThroughput: throughput }],
        }),
      }),
      'p-',
    );
    expect(read?.schema).toEqual({ ...key('id'), GlobalSecondaryIndexes: [index] });
  });

  describe('an unknown property of a table is an error that names it', () => {
    test.each<[string, object, string]>([
      ['a resource policy', { ResourcePolicy: {} }, 'property of T1 (AWS::DynamoDB::Table): ResourcePolicy'],
      ['a policy of a replica', { Replicas: [{ Region: 'r', ResourcePolicy: {} }] }, 'a replica of T1: ResourcePolicy'],
      ['a policy of its stream', { StreamSpecification: { ResourcePolicy: {} } }, 'stream of T1: ResourcePolicy'],
      ['an odd index', { GlobalSecondaryIndexes: [{ ...index, Sparse: true }] }, 'index of T1: Sparse'],
      ['an odd time to live', { TimeToLiveSpecification: { After: 1 } }, 'time to live of T1: After'],
    ])('%s', (_, properties, message) => {
      expect(() => readTables(stackOf({ T1: table(properties) }), '')).toThrow(message);
    });
  });

  describe('tables that keep their data keep their definition', () => {
    const before = readTables(stackOf({ T1: table() }), '');

    test('a new table is accepted', () => {
      expect(() => requireUnchangedTables(before, readTables(stackOf({ T1: table(), T2: table() }), ''))).not.toThrow();
    });

    test('another key is refused with the table’s name', () => {
      const after = readTables(stackOf({ T1: table(key('isbn')) }), '');
      expect(() => requireUnchangedTables(before, after)).toThrow('The table T1 has other keys');
    });
  });
});

describe('accessed attributes', () => {
  test.each<[string, Parameters<typeof accessesOf>[2], string[]]>([
    ['a key', { Key: { id: {}, sk: {} } }, ['id', 'sk']],
    ['an item', { Item: { id: {}, a: {} } }, ['id', 'a']],
    ['the keys of a batch', { Keys: [{ id: {} }, { id: {} }] }, ['id']],
    ['the top of a path', { ProjectionExpression: 'a, b.c, d[0].e' }, ['a', 'b', 'd']],
    [
      'the attributes behind placeholders',
      { UpdateExpression: 'SET #a = :b, c = #d.e', ExpressionAttributeNames: { '#a': 'A.1', '#d': 'D' } },
      ['A.1', 'c', 'D'],
    ],
    [
      'every clause of an update',
      { UpdateExpression: 'set a = if_not_exists(b, :c) + :d REMOVE e ADD f :g DELETE h :i' },
      ['a', 'b', 'e', 'f', 'h'],
    ],
    [
      'what a condition compares',
      { ConditionExpression: 'attribute_exists(a) AND (NOT b BETWEEN :x AND :y OR size (c) IN (:z, :w)) and d <> e' },
      ['a', 'b', 'c', 'd', 'e'],
    ],
    [
      'the key condition and the filter of a query',
      { KeyConditionExpression: 'a = :a AND begins_with(b, :b)', FilterExpression: 'contains(c, :c)' },
      ['a', 'b', 'c'],
    ],
    [
      'legacy parameters',
      { AttributesToGet: ['a'], AttributeUpdates: { b: {} }, Expected: { c: {} } },
      ['a', 'b', 'c'],
    ],
    ['nothing', {}, []],
  ])('finds %s', (_, request, expected) => {
    const [access] = accessesOf(defaultEnvironment, 'UpdateItem', request);
    expect(access?.attributes.toSorted()).toEqual(expected.toSorted());
  });
});
