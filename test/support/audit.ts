import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Store } from '../../lambdas/data/store/store.ts';

/** Every row that is on record for a company. */
export const readAudit = async (store: Store, companyId: string): Promise<Record<string, unknown>[]> => {
  const { Items = [] } = await store.send(
    new QueryCommand({
      TableName: store.tableName('AuditLog'),
      KeyConditionExpression: 'subject = :companyId',
      ExpressionAttributeValues: { ':companyId': companyId },
    }),
  );
  return Items;
};
