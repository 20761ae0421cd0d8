import { QueryCommand } from '@aws-sdk/lib-dynamodb';
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
