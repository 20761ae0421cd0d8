import { invalidRequest, type Problem } from '../api/problems.ts';
import { idPattern, pointerTo } from '../api/schemas/common.ts';
import { latest } from '../api/schemas/feed.ts';
import type { FeedPosition } from '../data/feed/feed-items.ts';
import type { FeedStart } from '../data/feed/read.ts';
import { decodeCursor, encodeCursor } from '../domain/encoding.ts';
import type { FeedEvent } from '../domain/feed-event.ts';
import { bucketIdOf, type RateLimitKey } from '../domain/rate-limits.ts';
import { toTimestamp } from '../domain/time.ts';

type PageCall = {
  /** Tells lists apart: a cursor of one is none of another. */
  readonly rateLimitKey: RateLimitKey;
  readonly query: { readonly limit: number; readonly cursor?: string | undefined };
};

/** The position after which the page begins; undefined for the first. Refuses a cursor that is not one of this list. */
export const pageStart = ({ rateLimitKey, query: { cursor } }: PageCall) => {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(bucketIdOf(rateLimitKey), cursor);
  // One that was made up, its checksum included, must not get to the store: its position would not pass for a key there.
  if (position !== undefined && idPattern.test(position)) return position;
  return invalidRequest([
    { pointer: pointerTo('query', 'cursor'), detail: 'Expected a nextCursor of this list, unchanged.' },
  ]);
};

/** The answer with a page; `next` is the position of its last item if there are more. */
export const pageAnswer = <Item>({ rateLimitKey }: PageCall, items: Item[], next: string | undefined) => ({
  body: { items, nextCursor: next === undefined ? null : encodeCursor(bucketIdOf(rateLimitKey), next) },
});

export const feedEventBody = ({ id, type, atMs, userId, gatewayId, resource, data }: FeedEvent) => ({
  id,
  type,
  at: toTimestamp(atMs),
  ...(userId !== undefined && { userId }),
  ...(gatewayId !== undefined && { gatewayId }),
  resource,
  data: data as Record<string, unknown>,
});

/** The form of a position can change some day; those of today begin with this. */
const version = '1';

const scopeOf = (companyId: string): string => `feed ${companyId}`;

/** A cursor of the feed, opaque to the company. */
export const feedCursor = (companyId: string, { epoch, seq }: FeedPosition): string =>
  encodeCursor(scopeOf(companyId), [version, epoch, seq].join('.'));

/** Where the page begins. Refuses a cursor that is none of this company's feed. */
export const feedStart = (companyId: string, after: string | undefined): FeedStart | Problem<'invalid-request'> => {
  if (after === undefined) return 'oldest';
  if (after === latest) return latest;
  const position = decodeCursor(scopeOf(companyId), after)?.match(/^(\d+)\.([\w-]+)\.(\d{1,15})$/);
  if (position?.[1] === version) return { epoch: String(position[2]), seq: Number(position[3]) };
  return invalidRequest([
    { pointer: pointerTo('query', 'after'), detail: `Expected a nextCursor of your feed, unchanged, or ${latest}.` },
  ]);
};
