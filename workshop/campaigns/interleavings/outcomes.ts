import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Store } from '../../../lambdas/data/store/store.ts';

/** Returns the outcome of a command as a caller can distinguish it: an answer, a failed condition, an error. */
export const outcomeOf = async (store: Store, command: { readonly input: unknown }): Promise<unknown> => {
  try {
    const answer = (await store.send(command as never)) as Record<string, unknown>;
    const { $metadata, Count, ScannedCount, ConsumedCapacity, ItemCollectionMetrics, ...rest } = answer;
    return { answer: rest };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException)
      return { isAllowed: false, old: error.Item && unmarshall(error.Item) };
    if (error instanceof TransactionCanceledException) {
      const reasons = error.CancellationReasons ?? [];
      // DynamoDB reports an invalid item together with the reasons of the other items. It is an error whatever these are.
      if (reasons.some(({ Code }) => Code === 'ValidationError')) return 'refused';
      return { reasons: reasons.map(({ Code, Item }) => [Code, Item && unmarshall(Item)]) };
    }
    return 'refused';
  }
};
