import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type TableName, tables } from '../../api/tables.ts';
import type { Store } from './store.ts';

type Item = Record<string, unknown>;

/** A page's limit and begin; `after` is the key of the last item of the page before. */
export type PageRequest = { readonly limit: number; readonly after?: Item | undefined };

/**
 * The items of a partition whose sort key has the prefix, in its order, strongly consistent; all of them where no page is
 * asked for, which is for those that are few by nature.
 */
export const queryPartition = async (
  store: Store,
  table: TableName,
  partition: string,
  prefix: string,
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
