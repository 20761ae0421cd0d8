import { expect, test } from 'vitest';
import { accessedAttributes, type ItemRequest } from '../../src/dynamodb/required-access.ts';

test.each<[string, ItemRequest, string[]]>([
  ['a key', { Key: { id: {}, sk: {} } }, ['id', 'sk']],
  ['an item', { Item: { id: {}, a: {} } }, ['id', 'a']],
  ['the keys of a batch', { Keys: [{ id: {} }, { id: {} }] }, ['id']],
  ['the top of a path', { ProjectionExpression: 'a, b.c, d[0].e' }, ['a', 'b', 'd']],
  [
    'what a placeholder stands for',
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
    'what a query is by, and filters',
    { KeyConditionExpression: 'a = :a AND begins_with(b, :b)', FilterExpression: 'contains(c, :c)' },
    ['a', 'b', 'c'],
  ],
  ['old parameters', { AttributesToGet: ['a'], AttributeUpdates: { b: {} }, Expected: { c: {} } }, ['a', 'b', 'c']],
  ['nothing', {}, []],
])('finds %s', (_, request, expected) => {
  expect(accessedAttributes(request).toSorted()).toEqual(expected.toSorted());
});
