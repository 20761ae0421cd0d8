import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Store } from '../store/store.ts';
import { type Head, headKey } from './feed-items.ts';

/** The head of the feed of a company, as of now; undefined if the feed has not begun. Throws StoreUnavailableError. */
export const findHead = async (store: Store, companyId: string): Promise<Head | undefined> => {
  const { Item } = await store.send(
    new GetCommand({ TableName: store.tableName('Events'), Key: headKey(companyId), ConsistentRead: true }),
  );
  return Item as Head | undefined;
};
