import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { readAllPages } from '../store/all-pages.ts';
import type { Store } from '../store/store.ts';
import type { AuditRow } from './audit-log.ts';

/** Selects the changes of a company, on behalf of a user, or to a gateway. */
export type AuditScope = { readonly by: 'company' | 'user' | 'gateway'; readonly id: string };

/** The position at which a page ends; hand it back unchanged to go on. */
export type AuditPosition = Readonly<Record<string, unknown>>;

export type AuditPage = { readonly rows: readonly AuditRow[]; readonly next: AuditPosition | undefined };

const scopes = {
  company: { partitionKey: 'subject', index: {} },
  user: { partitionKey: 'userId', index: { IndexName: 'byUser' } },
  gateway: { partitionKey: 'gatewayId', index: { IndexName: 'byGateway' } },
} as const;

/** A page of the changes on record, newest first. By user and by gateway it may lag a moment behind, as indexes do. */
export const readAuditLog = async (
  store: Store,
  { by, id }: AuditScope,
  limit: number,
  after?: AuditPosition,
): Promise<AuditPage> => {
  const { partitionKey, index } = scopes[by];
  const { Items = [], LastEvaluatedKey } = await store.send(
    new QueryCommand({
      TableName: store.tableName('AuditLog'),
      ...index,
      KeyConditionExpression: '#partitionKey = :id',
      ExpressionAttributeNames: { '#partitionKey': partitionKey },
      ExpressionAttributeValues: { ':id': id },
      ScanIndexForward: false,
      Limit: limit,
      ...(after && { ExclusiveStartKey: { ...after } }),
    }),
  );
  return { rows: Items as AuditRow[], next: LastEvaluatedKey };
};

/** A row with its sort key, which tells it from all others of its company. */
export type StoredAuditRow = AuditRow & { readonly sk: string };

/** All that was put on record for a company since a time, oldest first, strongly consistent. Not for functions. */
export const readAuditSince = async (
  store: Store,
  TableName: string,
  companyId: string,
  sinceMs: number,
): Promise<StoredAuditRow[]> => {
  const items = await readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: 'subject = :companyId AND sk >= :since',
        ExpressionAttributeValues: { ':companyId': companyId, ':since': new Date(sinceMs).toISOString() },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return items as StoredAuditRow[];
};
