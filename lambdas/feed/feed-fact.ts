import { createHash } from 'node:crypto';
import type { ItemChange } from '../data/store/stream-record.ts';
import type { FeedEvent } from '../domain/feed/feed-event.ts';

/** What a change of an item means, whoever is told of it; `part` tells apart what one change means of one type. */
export type FeedFact = Omit<FeedEvent, 'id'> & { readonly part?: string };

/** The event of a fact for a company, with an id that follows from the record that told the fact. */
export const feedEventOf = (
  { part = '', ...fact }: FeedFact,
  { recordId }: Pick<ItemChange, 'recordId'>,
  companyId: string,
): FeedEvent => {
  const digest = createHash('sha256').update([recordId, companyId, fact.type, part].join('|')).digest('base64url');
  return { id: `evt_${digest.slice(0, 22)}`, ...fact };
};
