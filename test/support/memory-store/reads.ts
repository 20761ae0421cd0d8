import {
  BatchGetCommand,
  type BatchGetCommandInput,
  GetCommand,
  type GetCommandInput,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  TransactGetCommand,
  type TransactGetCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../../lambdas/api/tables.ts';
import { checkCondition, type Given, isInKeyRange, isTrue, parseCondition } from './conditions.ts';
import {
  compare,
  type Definitions,
  definitionOf,
  type Item,
  keyNames,
  keyText,
  keyTextOfKey,
  rowsOf,
  type Tables,
  toItem,
} from './tables.ts';

/** Throws for a parameter of a command that the store in memory does not implement. */
export const refuseUnknown = (input: object, known: readonly string[]): void => {
  for (const [name, value] of Object.entries(input))
    if (value !== undefined && !known.includes(name))
      throw new Error(`The store in memory does not know the parameter ${name}. Teach it where the command is read.`);
};

type WithExpressions = {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as the document client types them.
  readonly ExpressionAttributeValues?: Readonly<Record<string, any>> | undefined;
};

export const expressionNames = ['ExpressionAttributeNames', 'ExpressionAttributeValues'];

export const givenBy = ({
  ExpressionAttributeNames: names = {},
  ExpressionAttributeValues: values = {},
}: WithExpressions): Given => ({ names, values: toItem(values) as Item });

/** A read: its tables, whether it may see an earlier state of them, and its answer from a given state. */
export type Read = {
  readonly tables: readonly { readonly name: string; readonly isConsistent: boolean }[];
  /** Whether it reads several items, each possibly at another moment. */
  readonly isOfSeveral: boolean;
  readonly answer: (tables: Tables) => object;
};

/** Returns the read of a command; undefined if the command is no read. */
export const readOf = (definitions: Definitions, command: { readonly input: unknown }): Read | undefined => {
  if (command instanceof GetCommand) return get(definitions, command.input);
  if (command instanceof BatchGetCommand) return batchGet(definitions, command.input);
  if (command instanceof TransactGetCommand) return transactGet(definitions, command.input);
  if (command instanceof QueryCommand) return query(definitions, command.input);
  if (command instanceof ScanCommand) return scan(definitions, command.input);
  return undefined;
};

const get = (
  definitions: Definitions,
  { TableName = '', Key, ConsistentRead = false, ...rest }: GetCommandInput,
): Read => {
  refuseUnknown(rest, []);
  const key = keyTextOfKey(definitionOf(definitions, TableName), Key);
  return {
    tables: [{ name: TableName, isConsistent: ConsistentRead }],
    isOfSeveral: false,
    answer: (tables) => {
      const item = rowsOf(tables, TableName).get(key);
      return item ? { Item: item } : {};
    },
  };
};

const maxBatchKeys = 100;

const batchGet = (definitions: Definitions, { RequestItems = {}, ...rest }: BatchGetCommandInput): Read => {
  refuseUnknown(rest, []);
  const requests = Object.entries(RequestItems).map(([name, { Keys = [], ConsistentRead = false, ...more }]) => {
    refuseUnknown(more, []);
    const table = definitionOf(definitions, name);
    return { name, isConsistent: ConsistentRead, keys: Keys.map((key) => keyTextOfKey(table, key)) };
  });
  const count = requests.flatMap(({ keys }) => keys).length;
  if (count === 0 || count > maxBatchKeys || requests.some(({ keys }) => new Set(keys).size < keys.length))
    throw new Error(`A batch read asks for ${count} keys; 1 to ${maxBatchKeys} are expected, and each once.`);
  const answer = (tables: Tables) => {
    const found = requests.map(({ name, keys }) => [name, keys.flatMap((key) => rowsOf(tables, name).get(key) ?? [])]);
    return { Responses: Object.fromEntries(found), UnprocessedKeys: {} };
  };
  return { tables: requests, isOfSeveral: count > 1, answer };
};

/** Reads all of its items at the present moment. */
const transactGet = (definitions: Definitions, { TransactItems = [], ...rest }: TransactGetCommandInput): Read => {
  refuseUnknown(rest, []);
  const gets = TransactItems.map(({ Get: { TableName = '', Key, ...more } = { TableName: '', Key: {} } }) => {
    refuseUnknown(more, []);
    return { name: TableName, isConsistent: true, key: keyTextOfKey(definitionOf(definitions, TableName), Key) };
  });
  const answer = (tables: Tables) => {
    const found = gets.map(({ name, key }) => rowsOf(tables, name).get(key));
    return { Responses: found.map((Item) => (Item ? { Item } : {})) };
  };
  return { tables: gets, isOfSeveral: false, answer };
};

const query = (definitions: Definitions, input: QueryCommandInput): Read => {
  const { TableName = '', IndexName, KeyConditionExpression = '', FilterExpression, ScanIndexForward = true } = input;
  const { ConsistentRead = false, Limit, ExclusiveStartKey, ...others } = input;
  refuseUnknown(others, [
    ...['TableName', 'IndexName', 'KeyConditionExpression', 'FilterExpression', 'ScanIndexForward'],
    ...expressionNames,
  ]);
  const table = definitionOf(definitions, TableName);
  const index = IndexName === undefined ? table : table.indexes?.[IndexName];
  if (!index) throw new Error(`${TableName} has no index ${IndexName}.`);
  const holdsKeysAlone = 'projection' in index && index.projection === 'KEYS_ONLY';
  if (ConsistentRead && index !== table) throw new Error('An index is never read consistently.');
  const given = givenBy(input);
  const range = parseCondition(KeyConditionExpression);
  const isShown = filterBy(FilterExpression, given);
  return {
    tables: [{ name: TableName, isConsistent: ConsistentRead }],
    isOfSeveral: true,
    answer: (tables) => {
      const found = [...rowsOf(tables, TableName).values()].filter(
        (item) => keyNames(index).every((name) => name in item) && isInKeyRange(range, index, item, given),
      );
      const held = holdsKeysAlone ? found.map((item) => keysOf(item, table, index)) : found;
      const inOrder = held.sort(orderOf(table, index));
      if (!ScanIndexForward) inOrder.reverse();
      return page(inOrder, {
        table,
        index,
        Limit,
        ExclusiveStartKey,
        isShown,
        ...(ScanIndexForward && { order: orderOf(table, index) }),
      });
    },
  };
};

/** DynamoDB guarantees no order; here the items are in the order of their keys. */
const scan = (definitions: Definitions, input: ScanCommandInput): Read => {
  const { TableName = '', ConsistentRead = false, Limit, ExclusiveStartKey, ...others } = input;
  refuseUnknown(others, ['FilterExpression', ...expressionNames]);
  const table = definitionOf(definitions, TableName);
  const isShown = filterBy(input.FilterExpression, givenBy(input));
  return {
    tables: [{ name: TableName, isConsistent: ConsistentRead }],
    isOfSeveral: true,
    answer: (tables) => {
      const inOrder = [...rowsOf(tables, TableName).values()].sort(orderOf(table, table));
      return page(inOrder, { table, index: table, Limit, ExclusiveStartKey, isShown });
    },
  };
};

const filterBy = (expression: string | undefined, given: Given): ((item: Item) => boolean) => {
  if (expression === undefined) return () => true;
  const filter = parseCondition(expression);
  checkCondition(filter, given);
  return (item) => isTrue(filter, item, given);
};

const orderOf =
  (table: Table, index: Table) =>
  (one: Item, other: Item): number => {
    const [, sortKey] = keyNames(index);
    const bySortKey = sortKey === undefined ? 0 : compare(one[sortKey] ?? null, other[sortKey] ?? null);
    return bySortKey || (keyText(table, one) < keyText(table, other) ? -1 : 1);
  };

type PageOptions = {
  readonly table: Table;
  readonly index: Table;
  readonly Limit: number | undefined;
  readonly ExclusiveStartKey: Readonly<Record<string, unknown>> | undefined;
  readonly isShown: (item: Item) => boolean;
  /** Finds where a page begins after a key that no item has; without it the page cannot begin there. */
  readonly order?: (one: Item, other: Item) => number;
};

/** A page ends at its limit, even if no item follows; items that the filter removes count. */
const page = (inOrder: readonly Item[], options: PageOptions): object => {
  const { table, index, Limit, isShown } = options;
  const start = positionAfter(inOrder, options);
  const read = inOrder.slice(start, Limit === undefined ? undefined : start + Limit);
  const last = read.length === Limit ? read.at(-1) : undefined;
  return { Items: read.filter(isShown), ...(last && { LastEvaluatedKey: keysOf(last, table, index) }) };
};

/** Returns the item's key and its key in the index. */
const keysOf = (item: Item, table: Table, index: Table): Item =>
  Object.fromEntries([...keyNames(table), ...keyNames(index)].map((name) => [name, item[name]])) as Item;

const positionAfter = (inOrder: readonly Item[], { table, ExclusiveStartKey: key, order }: PageOptions): number => {
  if (!key) return 0;
  const at = inOrder.findIndex((item) => keyText(table, item) === keyText(table, key));
  if (at >= 0) return at + 1;
  if (!order) throw new Error('A page starts behind an item that is gone: the store in memory does not know where.');
  return inOrder.filter((item) => order(item, key as Item) < 0).length;
};
