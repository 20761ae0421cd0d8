import type { Table } from '../../../../../lambdas/api/tables.ts';
import { keyNames } from '../tables.ts';
import type { Item } from '../values.ts';
import { type Condition, isTrue } from './conditions.ts';
import { type Given, namesOf } from './operands.ts';

/** Whether an item is in the range; refuses a range that is not one partition, whole or by one condition on its sort key. */
export const isInKeyRange = (range: Condition, index: Table, item: Item, given: Given): boolean => {
  const [partition, sort, ...others] = range.kind === 'AND' ? range.parts : [range];
  const [partitionKey, sortKey] = keyNames(index);
  const isRange =
    partition?.kind === 'comparison' &&
    partition.sign === '=' &&
    nameIn(partition, given) === partitionKey &&
    others.length === 0 &&
    (sort === undefined || (isOfSortKey(sort) && nameIn(sort, given) === sortKey));
  if (!isRange) throw new Error(`No query of DynamoDB is asked so: ${JSON.stringify(range)}`);
  return isTrue(range, item, given);
};

const isOfSortKey = (condition: Condition): boolean =>
  condition.kind === 'begins_with' || (condition.kind === 'comparison' && condition.sign !== '<>');

const nameIn = (condition: Condition, given: Given): string | undefined => {
  if (condition.kind === 'begins_with') return namesOf(condition.path, given).join('.');
  if (condition.kind !== 'comparison' || !('path' in condition.left)) return undefined;
  return namesOf(condition.left.path, given).join('.');
};
