import type { Store } from '../store/store.ts';
import type { TransactItem } from '../store/transaction.ts';

/** The one place that a deleted key has in AuditLog, apart from the acts of its company. */
const markKey = (companyId: string, keyId: string) => ({ subject: `${companyId}/${keyId}`, sk: 'DELETED' });

/** The part of a deletion's transaction that marks the key for good. Who deleted it, and when, is in the audit row. */
export const putDeletionMark = (store: Store, companyId: string, keyId: string): TransactItem => ({
  Put: { TableName: store.tableName('AuditLog'), Item: markKey(companyId, keyId) },
});

/** The part of a copy's transaction that holds only if the key was never deleted, whatever was read before. */
export const neverDeletedCheck = (store: Store, companyId: string, keyId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('AuditLog'),
    Key: markKey(companyId, keyId),
    ConditionExpression: 'attribute_not_exists(sk)',
  },
});
