import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditRow } from './audit-log.ts';
import { tableName } from './environment.ts';
import type { Store } from './store.ts';

type Item = Record<string, unknown>;

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
  let last: AuditRow | undefined;
  let after: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await store.send(
      new QueryCommand({
        TableName: tableName('AuditLog'),
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
    );
    last = (Items.at(-1) as AuditRow | undefined) ?? last;
    after = LastEvaluatedKey;
  } while (after);
  return last;
};
