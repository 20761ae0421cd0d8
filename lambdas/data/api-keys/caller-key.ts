import type { KeyIdentity } from '../../domain/api-keys/api-key.ts';
import type { Store } from '../store/store.ts';
import type { TransactItem } from '../store/transaction.ts';
import { keyItemKey } from './api-keys.ts';

/** The key that authenticated the request was deleted, or ran out, while the request was under way. */
export type CallerKeyLost = { readonly outcome: 'api-key-invalid' | 'api-key-expired' };

/**
 * The part of a change's transaction that holds the caller's own key in place. It is what saves the last key: of two keys
 * that delete each other at once, the second no longer holds.
 */
export const callerKeyCheck = (store: Store, caller: KeyIdentity, nowMs: number): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('ApiKeys'),
    Key: keyItemKey(caller),
    ConditionExpression: 'attribute_exists(sk) AND expiresAtMs > :now',
    ExpressionAttributeValues: { ':now': nowMs },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

export const callerKeyLost = (old: Record<string, unknown> | undefined): CallerKeyLost => ({
  outcome: old ? 'api-key-expired' : 'api-key-invalid',
});
