import { BatchGetCommand, type BatchGetCommandInput, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type TableName, tables } from '../../api/tables.ts';
import { backOff, StoreUnavailableError } from './attempts.ts';
import type { Store } from './store.ts';

type Item = Record<string, unknown>;

/** The limit and the start of a page; `after` is the key of the last item of the previous page. */
export type PageRequest = { readonly limit: number; readonly after?: Item | undefined };

/**
 * Returns the items of a partition whose sort key has the prefix, in the order of their sort keys, strongly consistent. Without
 * `page` it returns all that one query returns, up to 1 MB: use that only for items that are few by nature.
 */
export const queryPartition = async (
  store: Store,
  table: TableName,
  { partition, prefix }: { readonly partition: string; readonly prefix: string },
  page?: PageRequest,
): Promise<{ readonly items: readonly Item[]; readonly hasMore: boolean }> => {
  const { Items = [], LastEvaluatedKey } = await store.send(
    new QueryCommand({
      TableName: store.tableName(table),
      ConsistentRead: true,
      KeyConditionExpression: '#partition = :partition AND begins_with(sk, :prefix)',
      ExpressionAttributeNames: { '#partition': tables[table].partitionKey },
      ExpressionAttributeValues: { ':partition': partition, ':prefix': prefix },
      Limit: page?.limit,
      ExclusiveStartKey: page?.after,
    }),
  );
  return { items: Items, hasMore: LastEvaluatedKey !== undefined };
};

type Page = { readonly Items?: Item[] | undefined; readonly LastEvaluatedKey?: Item | undefined };

/** Reads page after page, each from where the previous one ended, and returns all items. */
export const readAllPages = async (readPage: (after: Item | undefined) => Promise<Page>): Promise<Item[]> => {
  const items: Item[] = [];
  let after: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await readPage(after);
    items.push(...Items);
    after = LastEvaluatedKey;
  } while (after);
  return items;
};

const maxAttempts = 4;

type Keys = NonNullable<BatchGetCommandInput['RequestItems']>;

/** The maximum number of keys in one batch. */
export const batchSize = 100;

/** How many batches of one call are read concurrently. */
const batchesAtOnce = 4;

/**
 * Returns the items by table, in no particular order. Reads keys that do not fit into one batch in several, and retries the
 * keys that DynamoDB left unprocessed. Throws StoreUnavailableError if keys stay unprocessed.
 */
export const batchGet = async (store: Store, keys: Keys) => {
  const found = new Map<string, Item[]>();
  const batches = inBatches(keys);
  for (let read = 0; read < batches.length; read += batchesAtOnce)
    await Promise.all(batches.slice(read, read + batchesAtOnce).map((batch) => readBatch(store, batch, found)));
  return (table: string): readonly Item[] => found.get(table) ?? [];
};

const inBatches = (keys: Keys): Keys[] => {
  const tables = Object.entries(keys);
  if (tables.reduce((sum, [, { Keys = [] }]) => sum + Keys.length, 0) <= batchSize) return [keys];
  return tables.flatMap(([table, { Keys = [], ...how }]) =>
    Array.from({ length: Math.ceil(Keys.length / batchSize) }, (_, batch) => ({
      [table]: { ...how, Keys: Keys.slice(batch * batchSize, (batch + 1) * batchSize) },
    })),
  );
};

const readBatch = async (store: Store, keys: Keys, found: Map<string, Item[]>): Promise<void> => {
  let pending = keys;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { Responses = {}, UnprocessedKeys = {} } = await store.send(new BatchGetCommand({ RequestItems: pending }));
    for (const [table, items] of Object.entries(Responses)) found.set(table, [...(found.get(table) ?? []), ...items]);
    if (Object.keys(UnprocessedKeys).length === 0) return;
    pending = UnprocessedKeys;
    await backOff(attempt);
  }
  throw new StoreUnavailableError(`A batch read was left unprocessed ${maxAttempts} times.`);
};
