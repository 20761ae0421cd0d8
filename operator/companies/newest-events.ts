import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Segment, segmentPrefix } from '../../lambdas/data/feed/feed-items.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { StoredEvent } from '../../lambdas/domain/feed-event.ts';

/** An event and its number in the feed. */
type NumberedEvent = { readonly seq: number; readonly event: StoredEvent };

/** Reads the newest events of a company's feed, the last one first. */
export const readNewestEvents = async (store: Store, companyId: string, limit: number): Promise<NumberedEvent[]> => {
  const found: NumberedEvent[] = [];
  for (let after: Record<string, unknown> | undefined; found.length < limit; ) {
    const { Items = [], LastEvaluatedKey } = await store.send(
      new QueryCommand({
        TableName: store.tableName('Events'),
        ConsistentRead: true,
        KeyConditionExpression: 'companyId = :companyId AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: {
          ':companyId': companyId,
          ':prefix': segmentPrefix,
        },
        ScanIndexForward: false,
        Limit: limit,
        ExclusiveStartKey: after,
      }),
    );
    for (const { firstSeq, events } of Items as Segment[])
      found.push(...events.map((event, index) => ({ seq: firstSeq + index, event })).toReversed());
    if (!LastEvaluatedKey) break;
    after = LastEvaluatedKey;
  }
  return found.slice(0, limit);
};
