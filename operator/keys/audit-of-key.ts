import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditRow } from '../../lambdas/data/audit/audit-log.ts';
import { readAllPages } from '../../lambdas/data/store/all-pages.ts';
import type { Store } from '../../lambdas/data/store/store.ts';

/**
 * The last act on record upon a key of the company, from that time on: a key that has one and no record any more was
 * deleted. Reads all that the company did since.
 */
export const findLastActOnKey = async (
  store: Store,
  companyId: string,
  keyId: string,
  sinceMs: number,
): Promise<AuditRow | undefined> => {
  const rows = await readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName: store.tableName('AuditLog'),
        ConsistentRead: true,
        KeyConditionExpression: 'subject = :companyId AND sk >= :since',
        FilterExpression: 'keyId = :keyId',
        ExpressionAttributeValues: {
          ':companyId': companyId,
          ':since': new Date(sinceMs).toISOString(),
          ':keyId': keyId,
        },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return rows.at(-1) as AuditRow | undefined;
};
