import type { ItemChange } from '../data/store/stream-record.ts';
import type { FeedFact } from '../domain/feed-event.ts';

/** What a new row of KeyNotices means to its company; a row that goes means nothing. */
export const keyNoticeFacts = ({ before, after, atMs }: ItemChange): FeedFact[] => {
  if (before || !after) return [];
  const { keyId, expiresAt, remaining, isLastKey } = after;
  return [{ type: 'api_key.expiring', atMs, resource: '/api-keys', data: { keyId, expiresAt, remaining, isLastKey } }];
};
