import type { FeedEventTypeName } from '../../api/schemas/feed.ts';
import { createHash } from 'node:crypto';

/** Something that a company is told by its feed. */
export type FeedEvent = {
  /** The same whenever the same change is told to the same company again. */
  readonly id: string;
  readonly type: FeedEventTypeName;
  /** The time of what has happened, not of its being written down. */
  readonly atMs: number;
  /**
   * When this service took it in, by its own clock, which decides who sees it: the time above is a claim of whoever sent it.
   * Without it, the event was taken in at the time above.
   */
  readonly receivedAtMs?: number;
  /** The gateway that it is about, if it is about one. */
  readonly gatewayId?: string;
  /** The owner of the contract at that time, if the event tells anything of theirs. */
  readonly userId?: string;
  /** The path to read what it is about. */
  readonly resource: string;
  readonly data: object;
};

/** An event as the feed keeps it: where it could not be seen when it was written down, there is nothing of it but its id. */
export type StoredEvent = FeedEvent | Pick<FeedEvent, 'id'>;

export const isWhole = (event: StoredEvent): event is FeedEvent => 'type' in event;

/** What a change of an item means, whoever is told of it; `part` tells apart what one change means of one type. */
export type FeedFact = Omit<FeedEvent, 'id'> & { readonly part?: string };

/** The event of a fact for a company, with an id that follows from the record that told the fact. */
export const feedEventOf = (
  { part = '', ...fact }: FeedFact,
  { recordId }: { readonly recordId: string },
  companyId: string,
): FeedEvent => {
  const digest = createHash('sha256').update([recordId, companyId, fact.type, part].join('|')).digest('base64url');
  return { id: `evt_${digest.slice(0, 22)}`, ...fact };
};
