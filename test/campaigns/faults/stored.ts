import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type TableName, tables } from '../../../lambdas/api/tables.ts';
import { readAllPages } from '../../../lambdas/data/store/all-pages.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { EquippedCompany } from '../../support/call.ts';
import { keyText, type Tables } from '../interleavings/store/tables.ts';
import type { Item } from '../interleavings/store/values.ts';

/** What the tables hold of a company, as it is now. */
export const readStored = async (store: Store, { companyId, gatewayId }: EquippedCompany): Promise<Tables> => {
  const partitions: [TableName, string][] = [
    ['ApiKeys', companyId],
    ['AuditLog', companyId],
    ['Appliances', gatewayId],
  ];
  const read = partitions.map(async ([table, partition]) => {
    const items = (await readPartition(store, table, partition)) as Item[];
    return [table, new Map(items.map((item) => [keyText(tables[table], item), item]))] as const;
  });
  return Object.fromEntries(await Promise.all(read));
};

const readPartition = (store: Store, table: TableName, partition: string) =>
  readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName: store.tableName(table),
        ConsistentRead: true,
        KeyConditionExpression: '#partition = :partition',
        ExpressionAttributeNames: { '#partition': tables[table].partitionKey },
        ExpressionAttributeValues: { ':partition': partition },
        ExclusiveStartKey: after,
      }),
    ),
  );

/** The arrival times of these buckets; 0 for one that has no record. */
export const readArrivals = async (store: Store, bucketIds: readonly string[]): Promise<Map<string, number>> => {
  const TableName = store.tableName('TokenBuckets');
  const read = bucketIds.map(async (bucketId) => {
    const { Item } = await store.send(new GetCommand({ TableName, Key: { bucketId }, ConsistentRead: true }));
    return [bucketId, Number(Item?.tat ?? 0)] as const;
  });
  return new Map(await Promise.all(read));
};
