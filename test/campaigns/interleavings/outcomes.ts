import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Store } from '../../../lambdas/data/store/store.ts';

/** What comes of a command, with what a partner of the store can tell apart: an answer, a condition that fails, an error. */
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
      // A fault in an item is told by the other items' reasons, too: it is an error whatever they say.
      if (reasons.some(({ Code }) => Code === 'ValidationError')) return 'refused';
      return { reasons: reasons.map(({ Code, Item }) => [Code, Item && unmarshall(Item)]) };
    }
    return 'refused';
  }
};
