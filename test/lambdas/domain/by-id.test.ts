import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { attributeOf, byIds, entriesOf, findById, idsOf, withId, withoutId } from '../../../lambdas/domain/by-id.ts';

const ids = [...Object.getOwnPropertyNames(Object.prototype), 'gw-1', 'prototype', 'length', 'M', '.', '_'];

/** Returns the map as it is read from the store. */
const stored = <Value>(map: Value): Value => unmarshall(marshall({ map })).map;

test.each(ids)('%s is stored, found and removed like any id', (id) => {
  const others = byIds(ids.filter((each) => each !== id).map((each) => [each, { of: each }] as const));
  const map = stored(withId(others, id, { of: id }));
  expect(findById(map, id)).toEqual({ of: id });
  expect(idsOf(map).toSorted()).toEqual(ids.toSorted());
  expect(entriesOf(map)).toContainEqual([id, { of: id }]);
  expect(withoutId(map, id)).toEqual(others);
  expect(findById(others, id)).toBeUndefined();
  expect(findById(stored(byIds([])), id)).toBeUndefined();
});

test('all ids but two are the names of their attributes, and no two ids have the same attribute', () => {
  expect(ids.filter((id) => attributeOf(id) !== id)).toEqual(['constructor', '__proto__']);
  expect(new Set(ids.map(attributeOf)).size).toBe(ids.length);
});
