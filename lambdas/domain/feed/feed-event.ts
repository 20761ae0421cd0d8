import type { FeedEventTypeName } from '../../api/feed/event-types.ts';

/** Something that a company is told by its feed. */
export type FeedEvent = {
  /** The same whenever the same change is told to the same company again. */
  readonly id: string;
  readonly type: FeedEventTypeName;
  /** The time of what has happened, not of its being written down. */
  readonly atMs: number;
  /** The gateway that it is about, if it is about one. */
  readonly gatewayId?: string;
  /** The owner of the contract at that time; only events of appliances have one. */
  readonly userId?: string;
  /** The path to read what it is about. */
  readonly resource: string;
  readonly data: object;
};
