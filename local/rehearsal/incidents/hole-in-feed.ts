import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { UserFacingError } from 'serve-stack';
import { segmentPrefix } from '../../../lambdas/data/feed/feed-items.ts';
import type { Incident } from './incident.ts';

/** Its partner reads the feed from the beginning, again and again. */
const companyId = 'acme';

let lost: Record<string, unknown> | undefined;

/** Somebody deletes the oldest segment of a feed, and puts it back. */
export const holeInFeed: Incident = {
  begin: async ({ store }) => {
    const TableName = store.tableName('Events');
    const { Items = [] } = await store.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'companyId = :companyId AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':companyId': companyId, ':prefix': segmentPrefix },
        Limit: 1,
      }),
    );
    lost = Items[0];
    if (!lost) throw new UserFacingError(`The feed of ${companyId} has no events, of which a scenario loses some.`);
    await store.send(new DeleteCommand({ TableName, Key: { companyId, sk: lost.sk } }));
  },
  end: async ({ store }) => {
    await store.send(new PutCommand({ TableName: store.tableName('Events'), Item: lost }));
  },
};
