import { maxPageBytes } from '../api/limits.ts';
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
  /** Identifies the list: a cursor is valid only for the list that returned it. */
  readonly rateLimitKey: RateLimitKey;
  readonly query: { readonly limit: number; readonly cursor?: string | undefined };
};

/**
 * Returns the position after which the page begins; undefined for the first page. Refuses a cursor that is not from this
 * list. A position is an id, unless the list has another pattern.
 */
export const pageStart = ({ rateLimitKey, query: { cursor } }: PageCall, positionPattern: RegExp = idPattern) => {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(bucketIdOf(rateLimitKey), cursor);
  // A forged cursor with a valid checksum must not reach the store: its position would not be a valid key there.
  if (position !== undefined && positionPattern.test(position)) return position;
  return invalidRequest([
    { pointer: pointerTo('query', 'cursor'), detail: 'Expected a nextCursor of this list, unchanged.' },
  ]);
};

type Page<Row, Item> = {
  /** Returns the item that shows a row; undefined if the row is not shown. */
  readonly itemOf: (row: Row) => Item | undefined;
  readonly positionOf: (row: Row) => string;
  /** The position after which the next page begins if this one shows all rows; undefined if there are no more rows. */
  readonly next: string | undefined;
};

/** Returns the answer with a page of the rows, which ends before the row whose item does not fit. */
export const pageAnswer = <Row, Item extends object>(
  { rateLimitKey }: PageCall,
  rows: readonly Row[],
  { itemOf, positionOf, next }: Page<Row, Item>,
) => {
  const { items, rows: taken } = fitting(rows, itemOf);
  const last = taken.at(-1);
  const end = taken.length < rows.length && last !== undefined ? positionOf(last) : next;
  return { body: { items, nextCursor: end === undefined ? null : encodeCursor(bucketIdOf(rateLimitKey), end) } };
};

/** Returns the first rows whose items fit into a page, and these items: at least one item if there is one. */
export const fitting = <Row, Item extends object>(
  rows: readonly Row[],
  itemOf: (row: Row) => Item | undefined,
): { readonly rows: readonly Row[]; readonly items: Item[] } => {
  const items: Item[] = [];
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    const item = itemOf(row);
    if (item === undefined) continue;
    bytes += bytesOf(item);
    if (bytes > maxPageBytes && items.length > 0) return { rows: rows.slice(0, index), items };
    items.push(item);
  }
  return { rows, items };
};

/** Returns the first rows whose weights are at most `maximum` together, but at least one row if there is one. */
export const firstUpTo = <Row>(
  maximum: number,
  rows: readonly Row[],
  weightOf: (row: Row) => number,
): readonly Row[] => {
  let weight = 0;
  const end = rows.findIndex((row, index) => {
    weight += weightOf(row);
    return weight > maximum && index > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
};

/** Returns the size of an element of a response in bytes, with the comma after it. */
export const bytesOf = (body: object): number => Buffer.byteLength(`${JSON.stringify(body)},`);

export const feedEventBody = ({ id, type, atMs, userId, gatewayId, resource, data }: FeedEvent) => ({
  id,
  type,
  at: toTimestamp(atMs),
  ...(userId !== undefined && { userId }),
  ...(gatewayId !== undefined && { gatewayId }),
  resource,
  data: data as Record<string, unknown>,
});

/** The format of a position may change; positions of the current format begin with this. */
const version = '1';

const scopeOf = (companyId: string): string => `feed ${companyId}`;

/** Returns a cursor of the feed, opaque to the company. */
export const feedCursor = (companyId: string, { epoch, seq }: FeedPosition): string =>
  encodeCursor(scopeOf(companyId), [version, epoch, seq].join('.'));

/** Returns where the page begins. Refuses a cursor that is not from this company's feed. */
export const feedStart = (companyId: string, after: string | undefined): FeedStart | Problem<'invalid-request'> => {
  if (after === undefined) return 'oldest';
  if (after === latest) return latest;
  const position = decodeCursor(scopeOf(companyId), after)?.match(/^(\d+)\.([\w-]+)\.(\d{1,15})$/);
  if (position?.[1] === version) return { epoch: String(position[2]), seq: Number(position[3]) };
  return invalidRequest([
    { pointer: pointerTo('query', 'after'), detail: `Expected a nextCursor of your feed, unchanged, or ${latest}.` },
  ]);
};
