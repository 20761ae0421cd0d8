import { invalidRequest } from '../api/problems.ts';
import { idPattern, pointerTo } from '../api/schemas/common.ts';
import { decodeCursor, encodeCursor } from '../domain/cursor.ts';
import { bucketIdOf, type RateLimitKey } from '../domain/rate-limits/rate-limit-key.ts';

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
